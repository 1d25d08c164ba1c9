// SPDX-License-Identifier: Apache-2.0
//
// Collectives between devices that have links inside a node and a network between nodes.
//
// Problem: published and measured rows cover few group shapes: 2, 4 and 8 devices of one node, some
// numbers of full nodes, mostly for the all-reduce. A plan needs any number of ranks on any number
// of nodes, in particular one or two devices of each node.
//
// Taken, in this order:
//   1. rows of the shape, (ranks, nodes, ranks per node): lines over bytes (series.cc). Rows that
//      begin at large sizes only are not held below their first one; the model of 4. continues
//      them;
//   2. one node, another number of ranks: a line over (n-1)/n between the neighbours. H200
//      all-reduce at 8 GiB, 5, 6, 7 devices from 4 and 8: within 3 %;
//   3. full nodes, another number of them: a line over log2(nodes) between the neighbours;
//   4. a model with two parts, latency and transfer, each multiplied by what the rows of the
//      nearest group of the same operation ask for (latency: rows up to 32 KiB; transfer: rows from
//      16 MiB at about the same size, of the same number of ranks per node only).
// The model is NCCL's tuner (nccl_model.cc) for all-reduce, all-gather and reduce-scatter. Its
// bandwidth inside the node is what rows of one node show, that between nodes the network cards of
// the ranks at 0.96 of their rate. An all-to-all sends (n - ranks per node)/n of its bytes over
// the wire at all_to_all_efficiency. A send takes latency plus bytes over the rate; inside a node
// it is half of an all-to-all of two, where there are such rows.
//
// Against published values of two H100 nodes with 1, 2, 4, 8 devices each (GB/s at 16 GiB):
// all-reduce 48.9 136.9 335.5 491.8, all-to-all 27.3 54.4 73.7 76.5; the tests say what is reached.
// Complexity: O(rows of the operation) per call, some microseconds.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "profiles/collective_rows.h"
#include "profiles/factors.h"
#include "profiles/nccl_model.h"
#include "profiles/series.h"

namespace metadist {
namespace {

constexpr int64_t kSmall = 32 << 10;         // bytes: latency only
constexpr int64_t kLarge = 16 << 20;         // bytes: transfer only
constexpr double kWireShare = 0.96;          // payload of a network card's rate
constexpr double kRingShare = 0.8;           // of the link rate that rings reach, all channels
constexpr double kOverNodesBand = 0.5;       // several nodes outside measured rows
constexpr double kBetweenNodeCounts = 0.15;  // between two measured numbers of nodes
constexpr int64_t kLongMessage = int64_t{1} << 30;

// The formulas for one cluster, operation and element type.
class Pricer {
 public:
  Pricer(const Cluster& cluster, Collective op, ElementType dtype, bool strided)
      : profile_(*cluster.profile), op_(op), dtype_(dtype), strided_(strided) {}

  Priced Seconds(const Group& group, int64_t bytes) const;

 private:
  std::vector<CollectiveRows> Rows(Collective op,
                                   const std::function<bool(const CollectiveKey&)>& accept) const {
    return FindCollectives(profile_, op, dtype_, strided_, accept);
  }
  // Rows of one node with that many ranks, or nothing.
  const Series* Inside(Collective op, int ranks) const;
  Reading ReadRows(const CollectiveRows& rows, int64_t bytes) const;
  // Adds the error band; a formula over several nodes has a wide one.
  Priced Price(const Group& group, const Reading& reading) const;
  std::optional<Priced> BetweenRanks(const Group& group, int64_t bytes) const;
  std::optional<Priced> BetweenNodes(const Group& group, int64_t bytes) const;
  Reading SendInside(int64_t bytes) const;

  double wire_rate() const { return kWireShare * profile_.device.network_bytes_per_second; }
  // Payload GB/s of a collective inside one node, from its rows or the link.
  double InsideRate(Collective op, int ranks) const;
  NcclTime Model(const Group& group, int64_t bytes) const;
  NcclTime AllToAllModel(const Group& group, int64_t bytes) const;
  NcclTime SendModel(const Group& group, int64_t bytes) const;
  // What rows up to kSmall ask of the model's latency: the median ratio.
  double LatencyFit(const CollectiveRows& rows) const;
  // What rows from kLarge ask of the model's transfer at that size: a line over log2(bytes).
  double TransferFit(const CollectiveRows& rows, double latency_fit, int64_t bytes) const;
  // Model with both parts fitted to the nearest rows.
  double FittedSeconds(const Group& group, int64_t bytes) const;

  const Profile& profile_;
  const Collective op_;
  const ElementType dtype_;
  const bool strided_;
};

Group GroupFor(const CollectiveKey& key) {
  return {key.ranks, key.nodes, key.ranks_per_node, key.concurrent, key.strided};
}

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(
      values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  return values[middle];
}

const Series* Pricer::Inside(Collective op, int ranks) const {
  const auto rows = Rows(op, [ranks](const CollectiveKey& key) {
    return key.nodes == 1 && key.ranks == ranks && key.concurrent == 1;
  });
  return rows.empty() ? nullptr : rows.front().series;
}

double Pricer::InsideRate(Collective op, int ranks) const {
  const double received = ReceivedBytes(op, ranks, kLongMessage);
  double bus = kRingShare * profile_.device.link_bytes_per_second;
  if (bus <= 0) bus = profile_.device.host_bytes_per_second;
  if (const Series* rows = Inside(op, ranks)) {
    bus = received / ReadAtBytes(profile_, *rows, kLongMessage).seconds;
  }
  return std::max(bus, 1e6) / 1e9 * static_cast<double>(kLongMessage) / received;
}

NcclTime Pricer::AllToAllModel(const Group& group, int64_t bytes) const {
  const double all = static_cast<double>(bytes);
  const double link = std::max(profile_.device.link_bytes_per_second * kRingShare,
                               profile_.device.host_bytes_per_second);
  const double n = group.ranks;
  const double inside_us = (group.ranks_per_node - 1) / n * all / link * 1e6;
  constexpr double kFirstUs = 6.6;
  constexpr double kPeerUs = 0.3;
  NcclTime time{kFirstUs + kPeerUs * (n - 1), inside_us};
  if (group.nodes > 1) {
    const double rate =
        profile_.factor(kAllToAllEfficiency, 0.65) * profile_.device.network_bytes_per_second;
    time.latency_us += profile_.factor(kNetworkLatencySeconds, 14e-6) * 1e6;
    const double wire_us = (n - group.ranks_per_node) / n * all / rate * 1e6;
    time.transfer_us = std::max(inside_us, wire_us);
  }
  return time;
}

NcclTime Pricer::SendModel(const Group& group, int64_t bytes) const {
  constexpr double kFirstUs = 6.6;
  const double all = static_cast<double>(bytes);
  if (group.nodes > 1) {
    return {profile_.factor(kNetworkLatencySeconds, 14e-6) * 1e6, all / wire_rate() * 1e6};
  }
  const double link = std::max(profile_.device.link_bytes_per_second * kRingShare,
                               profile_.device.host_bytes_per_second);
  return {kFirstUs, all / link * 1e6};
}

NcclTime Pricer::Model(const Group& group, int64_t bytes) const {
  if (op_ == Collective::kAllToAll) return AllToAllModel(group, bytes);
  if (op_ == Collective::kSendRecv) return SendModel(group, bytes);
  NcclFabric fabric;
  const double link = profile_.device.link_bytes_per_second;
  fabric.generation = GenerationOf(link);
  fabric.link = link > 0;
  fabric.ranks = group.ranks;
  fabric.nodes = group.nodes;
  fabric.inside_bus = std::max(link * kRingShare, profile_.device.host_bytes_per_second) / 1e9;
  if (group.nodes > 1) {
    fabric.wire_bus = group.ranks_per_node * wire_rate() / 1e9;
    if (group.ranks_per_node > 1) {
      const double inside = InsideRate(op_, group.ranks_per_node);
      fabric.inside_bus = std::min(fabric.inside_bus, inside * ReceivedBytes(op_, group.ranks, 1));
      if (group.nodes == 2) fabric.pair_rate = std::min(fabric.wire_bus, inside);
    }
    const double ceiling = profile_.factor(kNetworkCeiling, 0) / 1e9;
    if (op_ == Collective::kAllReduce && group.nodes > 2 && ceiling > 0) {
      fabric.wire_bus = std::min(fabric.wire_bus, ceiling);
    }
  }
  return NcclSeconds(fabric, op_, bytes);
}

double Pricer::LatencyFit(const CollectiveRows& rows) const {
  std::vector<double> ratios;
  for (const auto& [size, sample] : *rows.series) {
    if (size > kSmall) break;
    ratios.push_back(ReadRow(profile_, sample).seconds * 1e6 /
                     Model(GroupFor(*rows.key), size).total_us());
  }
  return ratios.empty() ? 1 : Median(std::move(ratios));
}

double Pricer::TransferFit(const CollectiveRows& rows, double latency_fit, int64_t bytes) const {
  auto ratio = [&](const Series::value_type& row) {
    const NcclTime model = Model(GroupFor(*rows.key), row.first);
    const double transfer =
        ReadRow(profile_, row.second).seconds * 1e6 - latency_fit * model.latency_us;
    return std::max(0.1, transfer / model.transfer_us);
  };
  const auto first = rows.series->lower_bound(kLarge);
  if (first == rows.series->end()) return 1;
  const auto high = rows.series->lower_bound(std::max(bytes, first->first));
  if (high == rows.series->end()) return ratio(*rows.series->rbegin());
  if (high == first || high->first == bytes) return ratio(*high);
  const auto low = std::prev(high);
  const double part = std::log2(static_cast<double>(bytes) / low->first) /
                      std::log2(static_cast<double>(high->first) / low->first);
  return ratio(*low) + part * (ratio(*high) - ratio(*low));
}

double Pricer::FittedSeconds(const Group& group, int64_t bytes) const {
  const bool several = group.nodes > 1;
  auto alike = [several](const CollectiveKey& key) { return (key.nodes > 1) == several; };
  std::optional<CollectiveRows> for_latency, for_transfer;
  double latency_far = 1e9, transfer_far = 1e9;
  for (const CollectiveRows& rows : Rows(op_, alike)) {
    const CollectiveKey& at = *rows.key;
    const double far = std::abs(std::log2(at.nodes) - std::log2(group.nodes)) +
                       std::abs(std::log2(at.ranks_per_node) - std::log2(group.ranks_per_node));
    if (rows.series->begin()->first <= kSmall && far < latency_far) {
      latency_far = far;
      for_latency = rows;
    }
    const bool same_wires = !several || at.ranks_per_node == group.ranks_per_node;
    if (rows.series->rbegin()->first >= kLarge && same_wires && far < transfer_far) {
      transfer_far = far;
      for_transfer = rows;
    }
  }
  const double latency_fit = for_latency ? LatencyFit(*for_latency) : 1;
  const double transfer_fit = for_transfer ? TransferFit(*for_transfer, latency_fit, bytes) : 1;
  const NcclTime model = Model(group, bytes);
  return 1e-6 * (latency_fit * model.latency_us + transfer_fit * model.transfer_us);
}

Reading Pricer::ReadRows(const CollectiveRows& rows, int64_t bytes) const {
  Reading reading = ReadAtBytes(profile_, *rows.series, bytes);
  const int64_t first = rows.series->begin()->first;
  if (bytes < first && first > kSmall) {
    reading.seconds = std::min(reading.seconds, FittedSeconds(GroupFor(*rows.key), bytes));
    reading.provenance = Provenance::kAnalytic;
  }
  return reading;
}

Priced Pricer::Price(const Group& group, const Reading& reading) const {
  Priced price = PriceOf(profile_, Subject::kCollective, reading);
  if (group.nodes > 1 && reading.provenance == Provenance::kAnalytic) {
    price.band = std::max(price.band, kOverNodesBand);
  }
  return price;
}

std::optional<Priced> Pricer::BetweenRanks(const Group& group, int64_t bytes) const {
  std::optional<CollectiveRows> low, high;
  auto one_node = [](const CollectiveKey& key) { return key.nodes == 1 && key.concurrent == 1; };
  for (const CollectiveRows& rows : Rows(op_, one_node)) {
    if (rows.key->ranks < group.ranks) low = rows;
    if (rows.key->ranks > group.ranks && !high) high = rows;
  }
  if (!low || !high) return {};
  const Reading a = ReadRows(*low, bytes);
  const Reading b = ReadRows(*high, bytes);
  auto x = [](int ranks) { return (ranks - 1.0) / ranks; };
  const double part =
      (x(group.ranks) - x(low->key->ranks)) / (x(high->key->ranks) - x(low->key->ranks));
  Reading between = Merge(a.seconds + part * (b.seconds - a.seconds), a, b);
  between.reach = std::max(between.reach, Reach::kInterpolated);
  return Price(group, between);
}

std::optional<Priced> Pricer::BetweenNodes(const Group& group, int64_t bytes) const {
  if (group.ranks != group.nodes * group.ranks_per_node) return {};
  std::optional<CollectiveRows> low, high;
  auto same_nodes = [&group](const CollectiveKey& key) {
    return key.nodes > 1 && key.ranks_per_node == group.ranks_per_node &&
           key.ranks == key.nodes * key.ranks_per_node;
  };
  for (const CollectiveRows& rows : Rows(op_, same_nodes)) {
    if (rows.key->nodes < group.nodes) low = rows;
    if (rows.key->nodes > group.nodes && !high) high = rows;
  }
  if (!low || !high) return {};
  const Reading a = ReadRows(*low, bytes);
  const Reading b = ReadRows(*high, bytes);
  const double part = std::log2(static_cast<double>(group.nodes) / low->key->nodes) /
                      std::log2(static_cast<double>(high->key->nodes) / low->key->nodes);
  Reading between = Merge(a.seconds + part * (b.seconds - a.seconds), a, b);
  between.reach = std::max(between.reach, Reach::kInterpolated);
  Priced price = Price(group, between);
  price.band = std::max(price.band, kBetweenNodeCounts);
  return price;
}

Reading Pricer::SendInside(int64_t bytes) const {
  const auto link = profile_.p2p.find("link");
  if (link != profile_.p2p.end() && !link->second.empty()) {
    return ReadAtBytes(profile_, link->second, bytes);
  }
  const Series* pair = Inside(Collective::kAllToAll, 2);
  if (pair == nullptr) {
    const NcclTime model = SendModel(Group{}, bytes);
    return {1e-6 * model.total_us(), Provenance::kAnalytic, Reach::kTransferred};
  }
  Reading reading = ReadAtBytes(profile_, *pair, 2 * bytes);
  reading.reach = Reach::kTransferred;
  return reading;
}

Priced Pricer::Seconds(const Group& group, int64_t bytes) const {
  auto same_shape = [&group](const CollectiveKey& key) {
    return key.ranks == group.ranks && key.nodes == group.nodes &&
           key.ranks_per_node == group.ranks_per_node;
  };
  std::optional<CollectiveRows> exact;
  for (const CollectiveRows& rows : Rows(op_, same_shape)) {
    if (!exact || rows.key->concurrent == group.concurrent) exact = rows;
  }
  if (exact) return Price(group, ReadRows(*exact, bytes));
  if (op_ == Collective::kSendRecv) {
    const auto network = profile_.p2p.find("network");
    const bool wired = network != profile_.p2p.end() && !network->second.empty();
    if (group.nodes == 1) return Price(group, SendInside(bytes));
    if (wired) {
      return Price(group, ReadAtBytes(profile_, network->second, bytes));
    }
  } else {
    const auto between = group.nodes == 1 ? BetweenRanks(group, bytes) : BetweenNodes(group, bytes);
    if (between) return *between;
  }
  return Price(group, {FittedSeconds(group, bytes), Provenance::kAnalytic, Reach::kTransferred});
}

}  // namespace

Priced GpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype) {
  return Pricer(cluster, op, dtype, group.strided).Seconds(group, bytes);
}

}  // namespace metadist
