// SPDX-License-Identifier: Apache-2.0
//
// Collectives over groups that have no rows.
//
// Problem: published and measured rows cover few group shapes: 2, 4 and 8 devices of one node and
// some numbers of full nodes, mostly for the all-reduce. A plan needs any number of ranks on any
// number of nodes, in particular one or two devices of each.
//
// The model has two parts, latency and transfer, each multiplied by a factor fitted to the rows of
// the nearest group of the same operation. Latency: the median over rows up to 32 KiB, of any such
// group. Transfer: rows from 16 MiB at about the same size, only of groups with the same number of
// ranks per node, because others use other network cards. An operation without any rows uses the
// fit of the all-reduce: the wires are the same.
//   all-reduce, all-gather, reduce-scatter: NCCL's tuner (nccl_model.cc). The bandwidth in a node
//     comes from rows of one node, that between nodes is 0.96 of the rate of the ranks' network
//     cards; an all-reduce over more than two nodes stays below the published ceiling
//   all-to-all: (n - ranks per node) / n of the bytes cross the wire at all_to_all_efficiency
//   send: latency plus bytes over the rate
// Against published values of two H100 nodes with 1, 2, 4, 8 devices each (GB/s at 16 GiB):
//   all-reduce 48.9 136.9 335.5 491.8: 48.0 144.0 335.7 and, by rows, 469
//   all-to-all 27.3 54.4 73.7 76.5:    32.5 48.7 56.9 60.9
//
// Complexity: O(rows of the operation) per call, 2 us.
#include "profiles/gpu_collective_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "profiles/factors.h"
#include "profiles/series.h"

namespace metadist {
namespace {

constexpr int64_t kLarge = 16 << 20;  // bytes: transfer only
constexpr double kWireShare = 0.96;   // payload of a network card's rate
constexpr double kRingShare = 0.8;    // of the link rate that rings reach, all channels
constexpr int64_t kLongMessage = int64_t{1} << 30;

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(
      values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  return values[middle];
}

NcclTime Fitted(const NcclTime& time, const NcclFit& fit) {
  return {fit.latency * time.latency_us, fit.transfer * time.transfer_us};
}

}  // namespace

Group GroupFor(const CollectiveKey& key) {
  return {key.ranks, key.nodes, key.ranks_per_node, key.concurrent, key.strided};
}

double GpuCollectiveModel::wire_rate() const {
  return kWireShare * profile_.device.network_bytes_per_second;
}

const Series* GpuCollectiveModel::Inside(Collective op, int ranks) const {
  const auto rows =
      FindCollectives(profile_, op, dtype_, strided_, [ranks](const CollectiveKey& key) {
        return key.nodes == 1 && key.ranks == ranks && key.concurrent == 1;
      });
  return rows.empty() ? nullptr : rows.front().series;
}

double GpuCollectiveModel::InsideRate(Collective op, int ranks) const {
  const double received = ReceivedBytes(op, ranks, kLongMessage);
  double bus = kRingShare * profile_.device.link_bytes_per_second;
  if (bus <= 0) bus = profile_.device.host_bytes_per_second;
  if (const Series* rows = Inside(op, ranks)) {
    bus = received / ReadAtBytes(profile_, *rows, kLongMessage).seconds;
  }
  return std::max(bus, 1e6) / 1e9 * static_cast<double>(kLongMessage) / received;
}

NcclTime GpuCollectiveModel::AllToAll(const Group& group, int64_t bytes) const {
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

NcclTime GpuCollectiveModel::Send(const Group& group, int64_t bytes) const {
  constexpr double kFirstUs = 6.6;
  const double all = static_cast<double>(bytes);
  if (group.nodes > 1) {
    return {profile_.factor(kNetworkLatencySeconds, 14e-6) * 1e6, all / wire_rate() * 1e6};
  }
  const double link = std::max(profile_.device.link_bytes_per_second * kRingShare,
                               profile_.device.host_bytes_per_second);
  return {kFirstUs, all / link * 1e6};
}

NcclTime GpuCollectiveModel::Seconds(const Group& group, int64_t bytes, const NcclFit& fit) const {
  if (op_ == Collective::kAllToAll) return Fitted(AllToAll(group, bytes), fit);
  if (op_ == Collective::kSendRecv) return Fitted(Send(group, bytes), fit);
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
  return NcclSeconds(fabric, op_, bytes, fit);
}

double GpuCollectiveModel::LatencyFit(const CollectiveRows& rows) const {
  std::vector<double> ratios;
  for (const auto& [size, sample] : *rows.series) {
    if (size > kSmallBytes) break;
    ratios.push_back(ReadRow(profile_, sample).seconds * 1e6 /
                     Seconds(GroupFor(*rows.key), size).total_us());
  }
  return ratios.empty() ? 1 : Median(std::move(ratios));
}

double GpuCollectiveModel::TransferFit(const CollectiveRows& rows,
                                       double latency_fit,
                                       int64_t bytes) const {
  auto ratio = [&](const Series::value_type& row) {
    const NcclTime model = Seconds(GroupFor(*rows.key), row.first);
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

std::optional<NcclFit> GpuCollectiveModel::FitFor(const Group& group, int64_t bytes) const {
  const bool several = group.nodes > 1;
  auto alike = [several](const CollectiveKey& key) { return (key.nodes > 1) == several; };
  const std::vector<CollectiveRows> all = FindCollectives(profile_, op_, dtype_, strided_, alike);
  if (all.empty()) return {};
  std::optional<CollectiveRows> for_latency, for_transfer;
  double latency_far = 1e9, transfer_far = 1e9;
  for (const CollectiveRows& rows : all) {
    const CollectiveKey& at = *rows.key;
    const double far = std::abs(std::log2(at.nodes) - std::log2(group.nodes)) +
                       std::abs(std::log2(at.ranks_per_node) - std::log2(group.ranks_per_node));
    if (rows.series->begin()->first <= kSmallBytes && far < latency_far) {
      latency_far = far;
      for_latency = rows;
    }
    const bool same_wires = !several || at.ranks_per_node == group.ranks_per_node;
    if (rows.series->rbegin()->first >= kLarge && same_wires && far < transfer_far) {
      transfer_far = far;
      for_transfer = rows;
    }
  }
  NcclFit fit;
  if (for_latency) fit.latency = LatencyFit(*for_latency);
  if (for_transfer) fit.transfer = TransferFit(*for_transfer, fit.latency, bytes);
  return fit;
}

double GpuCollectiveModel::FittedSeconds(const Group& group, int64_t bytes) const {
  std::optional<NcclFit> fit = FitFor(group, bytes);
  if (!fit && op_ != Collective::kAllReduce) {
    const GpuCollectiveModel all_reduce(profile_, Collective::kAllReduce, dtype_, strided_);
    fit = all_reduce.FitFor(group, bytes);
  }
  return 1e-6 * Seconds(group, bytes, fit.value_or(NcclFit{})).total_us();
}

}  // namespace metadist
