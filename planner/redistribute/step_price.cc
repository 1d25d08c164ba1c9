// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/step_price.h"

#include <algorithm>
#include <string>

namespace metadist {
namespace {

// Ranks whose traffic is looked at to find the busiest one of an exchange.
constexpr int64_t kSampledRanks = 64;

// What other ranks send to one rank of an exchange.
struct Inflow {
  int peers = 0;
  int64_t elements = 0;
};

// Index ranges of the ranks, by dim; worked out when first asked for.
class Placement {
 public:
  Placement(const Shape& shape, const Sharding& sharding, const Mesh& mesh)
      : shape_(shape), sharding_(sharding), mesh_(mesh), runs_(static_cast<size_t>(mesh.ranks())) {}

  const std::vector<std::vector<Interval>>& Of(int64_t rank) {
    std::vector<std::vector<Interval>>& runs = runs_[static_cast<size_t>(rank)];
    if (!runs.empty()) return runs;
    const std::vector<int64_t> coordinate = mesh_.CoordinateOf(rank);
    for (size_t d = 0; d < shape_.size(); ++d)
      runs.push_back(LocalIntervals(sharding_.dims[d], shape_[d], mesh_, coordinate));
    return runs;
  }

  int64_t Elements(int64_t rank) {
    int64_t elements = 1;
    for (const std::vector<Interval>& runs : Of(rank)) {
      int64_t size = 0;
      for (const Interval& run : runs) size += run.size();
      elements *= size;
    }
    return elements;
  }

 private:
  const Shape& shape_;
  const Sharding& sharding_;
  const Mesh& mesh_;
  std::vector<std::vector<std::vector<Interval>>> runs_;
};

int64_t CommonSize(const std::vector<Interval>& left, const std::vector<Interval>& right) {
  int64_t common = 0;
  size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    common += std::max<int64_t>(
        0, std::min(left[i].end, right[j].end) - std::max(left[i].begin, right[j].begin));
    left[i].end < right[j].end ? ++i : ++j;
  }
  return common;
}

// Elements that lie both in the part of `rank_a` under `a` and in that of `rank_b` under `b`.
int64_t CommonElements(Placement& a, int64_t rank_a, Placement& b, int64_t rank_b) {
  const std::vector<std::vector<Interval>>& left = a.Of(rank_a);
  const std::vector<std::vector<Interval>>& right = b.Of(rank_b);
  int64_t elements = 1;
  for (size_t d = 0; d < left.size() && elements > 0; ++d)
    elements *= CommonSize(left[d], right[d]);
  return elements;
}

Inflow InflowOf(Placement& from, Placement& to, const std::vector<int64_t>& group, int64_t rank) {
  Inflow inflow;
  inflow.elements = to.Elements(rank) - CommonElements(from, rank, to, rank);
  int64_t missing = inflow.elements;
  for (int64_t peer : group) {
    if (missing <= 0) break;
    if (peer == rank) continue;
    const int64_t common = CommonElements(from, peer, to, rank);
    if (common == 0) continue;
    ++inflow.peers;
    missing -= common;
  }
  return inflow;
}

}  // namespace

const Group& StepPricer::GroupAlong(std::vector<int> axes) {
  std::sort(axes.begin(), axes.end());
  const auto found = groups_.find(axes);
  if (found != groups_.end()) return found->second;
  std::vector<int> ranks;
  for (int64_t rank : mesh_.Group(axes, 0)) ranks.push_back(static_cast<int>(rank));
  return groups_.emplace(axes, GroupOf(cluster_, ranks)).first->second;
}

Priced StepPricer::Price(CollectiveKind kind,
                         const std::vector<int>& axes,
                         int64_t bytes_before,
                         int64_t bytes_after,
                         ElementType element) {
  const bool local = kind == CollectiveKind::kSlice || kind == CollectiveKind::kPartial;
  const int64_t bytes = local ? 2 * bytes_after : std::max(bytes_before, bytes_after);
  Key key{kind, local ? std::vector<int>{} : axes, bytes, element};
  const auto found = prices_.find(key);
  if (found != prices_.end()) return found->second;
  Priced price;
  switch (kind) {
    case CollectiveKind::kSlice:
    case CollectiveKind::kPartial:
      price = ComputeSeconds(cluster_,
                             ComputeWork{.op = {}, .dtype = element, .flops = 0, .bytes = bytes});
      break;
    case CollectiveKind::kAllGather:
      price = CollectiveSeconds(cluster_, Collective::kAllGather, GroupAlong(axes), bytes, element);
      break;
    case CollectiveKind::kAllToAll:
      price = CollectiveSeconds(cluster_, Collective::kAllToAll, GroupAlong(axes), bytes, element);
      break;
    case CollectiveKind::kReduceScatter:
      price =
          CollectiveSeconds(cluster_, Collective::kReduceScatter, GroupAlong(axes), bytes, element);
      break;
    case CollectiveKind::kAllReduce:
      price = CollectiveSeconds(cluster_, Collective::kAllReduce, GroupAlong(axes), bytes, element);
      break;
    case CollectiveKind::kExchange:
      CHECK(false, "the price of an exchange needs its shardings");
  }
  prices_.emplace(std::move(key), price);
  return price;
}

// A rank receives from its peers one after the other: each message pays its own latency.
Priced StepPricer::PriceExchange(const CollectiveStep& step, const TensorType& type) {
  Inflow worst;
  Placement from(type.shape, step.from, mesh_);
  Placement to(type.shape, step.to, mesh_);
  for (int64_t rank = 0; rank < std::min(mesh_.ranks(), kSampledRanks); ++rank) {
    const Inflow inflow = InflowOf(from, to, mesh_.Group(step.axes, rank), rank);
    worst.peers = std::max(worst.peers, inflow.peers);
    worst.elements = std::max(worst.elements, inflow.elements);
  }
  if (worst.peers == 0) {
    const int64_t after = NumElements(LargestLocalShape(type.shape, step.to, mesh_));
    return Price(CollectiveKind::kSlice, {}, 0, after * ByteSize(type.element), type.element);
  }
  const int64_t message = (worst.elements + worst.peers - 1) / worst.peers * ByteSize(type.element);
  return CollectiveSeconds(
             cluster_, Collective::kSendRecv, GroupAlong(step.axes), message, type.element) *
         worst.peers;
}

Priced StepPricer::Price(const CollectiveStep& step, const TensorType& type) {
  if (step.kind == CollectiveKind::kExchange) return PriceExchange(step, type);
  const int64_t item = ByteSize(type.element);
  return Price(step.kind,
               step.axes,
               NumElements(LargestLocalShape(type.shape, step.from, mesh_)) * item,
               NumElements(LargestLocalShape(type.shape, step.to, mesh_)) * item,
               type.element);
}

}  // namespace metadist
