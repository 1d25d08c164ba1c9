// SPDX-License-Identifier: Apache-2.0
//
// Collectives between devices that have links inside a node and a network between nodes.
//
// The first applicable rule is used:
//   1. rows of the shape, (ranks, nodes, ranks per node): linear in bytes (series.cc). Rows that
//      begin only at large sizes are not held constant below the first; the model continues them;
//   2. one node, another number of ranks: linear in (n-1)/n between the neighbours. H200
//      all-reduce at 8 GiB, 5, 6, 7 devices from 4 and 8: within 3 %;
//   3. full nodes, another number of them: linear in log2(nodes) between the neighbours;
//   4. the fitted model (gpu_collective_model.cc).
// A send inside a node is priced as one of a ring of sends or as half of an all-to-all of two, if
// there are such rows. Complexity: O(rows of the operation) per call, 0.2 us, or 2 us where the
// model is evaluated.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "profiles/collective_rows.h"
#include "profiles/gpu_collective_model.h"
#include "profiles/series.h"

namespace metadist {
namespace {

constexpr double kOverNodesBand = 0.5;       // several nodes, not covered by measured rows
constexpr double kBetweenNodeCounts = 0.15;  // between two measured numbers of nodes

// The prices of one operation and element type on one cluster.
class Pricer {
 public:
  Pricer(const Profile& profile, Collective op, ElementType dtype, bool strided)
      : profile_(profile),
        op_(op),
        dtype_(dtype),
        strided_(strided),
        model_(profile, op, dtype, strided) {}

  Priced Seconds(const Group& group, int64_t bytes) const {
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
      const auto between =
          group.nodes == 1 ? BetweenRanks(group, bytes) : BetweenNodes(group, bytes);
      if (between) return *between;
    }
    return Price(group, Analytic(model_.FittedSeconds(group, bytes)));
  }

 private:
  std::vector<CollectiveRows> Rows(Collective op,
                                   const std::function<bool(const CollectiveKey&)>& accept) const {
    return FindCollectives(profile_, op, dtype_, strided_, accept);
  }

  Reading ReadRows(const CollectiveRows& rows, int64_t bytes) const {
    Reading reading = ReadAtBytes(profile_, *rows.series, bytes);
    const int64_t first = rows.series->begin()->first;
    if (bytes < first && first > kSmallBytes) {
      reading.seconds = std::min(reading.seconds, model_.FittedSeconds(GroupFor(*rows.key), bytes));
      reading.provenance = Provenance::kAnalytic;
    }
    return reading;
  }

  // Adds the error band, which is wide for a formula over several nodes.
  Priced Price(const Group& group, const Reading& reading) const {
    Priced price = PriceOf(profile_, Subject::kCollective, reading);
    if (group.nodes > 1 && reading.provenance == Provenance::kAnalytic) {
      price.band = std::max(price.band, kOverNodesBand);
    }
    return price;
  }

  std::optional<Priced> BetweenRanks(const Group& group, int64_t bytes) const {
    std::optional<CollectiveRows> low, high;
    auto one_node = [](const CollectiveKey& key) { return key.nodes == 1 && key.concurrent == 1; };
    for (const CollectiveRows& rows : Rows(op_, one_node)) {
      if (rows.key->ranks < group.ranks) low = rows;
      if (rows.key->ranks > group.ranks && !high) high = rows;
    }
    if (!low || !high) return {};
    auto x = [](int ranks) { return (ranks - 1.0) / ranks; };
    const double part =
        (x(group.ranks) - x(low->key->ranks)) / (x(high->key->ranks) - x(low->key->ranks));
    return Price(group, Between(ReadRows(*low, bytes), ReadRows(*high, bytes), part));
  }

  std::optional<Priced> BetweenNodes(const Group& group, int64_t bytes) const {
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
    const double part = std::log2(static_cast<double>(group.nodes) / low->key->nodes) /
                        std::log2(static_cast<double>(high->key->nodes) / low->key->nodes);
    Priced price = Price(group, Between(ReadRows(*low, bytes), ReadRows(*high, bytes), part));
    price.band = std::max(price.band, kBetweenNodeCounts);
    return price;
  }

  Reading SendInside(int64_t bytes) const {
    const auto link = profile_.p2p.find("link");
    if (link != profile_.p2p.end() && !link->second.empty()) {
      return ReadAtBytes(profile_, link->second, bytes);
    }
    // In a ring of sends, every device is as busy as in a pair.
    const auto one_node = [](const CollectiveKey& key) { return key.nodes == 1; };
    for (const CollectiveRows& ring : Rows(Collective::kSendRecv, one_node)) {
      Reading reading = ReadRows(ring, bytes);
      reading.reach = Reach::kTransferred;
      return reading;
    }
    const Series* pair = model_.Inside(Collective::kAllToAll, 2);
    if (pair == nullptr) return Analytic(model_.FittedSeconds({2, 1, 2, 1, false}, bytes));
    Reading reading = ReadAtBytes(profile_, *pair, 2 * bytes);
    reading.reach = Reach::kTransferred;
    return reading;
  }

  const Profile& profile_;
  const Collective op_;
  const ElementType dtype_;
  const bool strided_;
  const GpuCollectiveModel model_;
};

}  // namespace

Priced GpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype) {
  return Pricer(*cluster.profile, op, dtype, group.strided).Seconds(group, bytes);
}

}  // namespace metadist
