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

Inflow InflowOf(const CollectiveStep& step, const Shape& shape, const Mesh& mesh, int64_t rank) {
  const int64_t wanted = NumElements(LocalShape(shape, step.to, mesh, rank));
  Inflow inflow;
  inflow.elements = wanted - CommonElements(shape, mesh, step.from, rank, step.to, rank);
  int64_t missing = inflow.elements;
  for (int64_t peer : mesh.Group(step.axes, rank)) {
    if (missing <= 0) break;
    if (peer == rank) continue;
    const int64_t common = CommonElements(shape, mesh, step.from, peer, step.to, rank);
    if (common == 0) continue;
    ++inflow.peers;
    missing -= common;
  }
  return inflow;
}

}  // namespace

int64_t CommonElements(const Shape& shape,
                       const Mesh& mesh,
                       const Sharding& a,
                       int64_t rank_a,
                       const Sharding& b,
                       int64_t rank_b) {
  const std::vector<int64_t> at_a = mesh.CoordinateOf(rank_a);
  const std::vector<int64_t> at_b = mesh.CoordinateOf(rank_b);
  int64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto left = LocalIntervals(a.dims[d], shape[d], mesh, at_a);
    const auto right = LocalIntervals(b.dims[d], shape[d], mesh, at_b);
    int64_t common = 0;
    size_t i = 0, j = 0;
    while (i < left.size() && j < right.size()) {
      common += std::max<int64_t>(
          0, std::min(left[i].end, right[j].end) - std::max(left[i].begin, right[j].begin));
      left[i].end < right[j].end ? ++i : ++j;
    }
    elements *= common;
  }
  return elements;
}

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
  for (int64_t rank = 0; rank < std::min(mesh_.ranks(), kSampledRanks); ++rank) {
    const Inflow inflow = InflowOf(step, type.shape, mesh_, rank);
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
