// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/step_price.h"

#include <algorithm>

#include "metair/ir/check.h"

namespace metadist {
namespace {

// Number of ranks examined to find the busiest one of an exchange.
constexpr int64_t kSampledRanks = 64;

Collective CollectiveOf(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllGather:
      return Collective::kAllGather;
    case CollectiveKind::kAllToAll:
      return Collective::kAllToAll;
    case CollectiveKind::kReduceScatter:
      return Collective::kReduceScatter;
    case CollectiveKind::kAllReduce:
      return Collective::kAllReduce;
    case CollectiveKind::kPermute:
      return Collective::kSendRecv;
    default:
      CHECK(false, "the step is no collective of one kind");
  }
}

// Messages that a rank receives for the halo of a dim: one from every side with a halo; from both
// sides if its pieces do not add up to the dim, or if a mirrored piece spans two.
int Messages(const DimSharding& dim, const Mesh& mesh) {
  const Halo& halo = dim.halo;
  if (halo.empty()) return 0;
  if (halo.of != 0) return 2;
  const int sides = (halo.before > 0 ? 1 : 0) + (halo.behind > 0 ? 1 : 0);
  if (halo.course != Halo::Course::kMirrored) return sides;
  const SubDim& outer = dim.parts[0].sub[0];
  const bool nests = outer.size % mesh.size(outer.axes) == 0 && sides == 0;
  return nests ? 1 : 2;
}

}  // namespace

int64_t LargestHeldBytes(const TensorType& type, const Sharding& sharding, const Mesh& mesh) {
  return NumElements(LargestLocalShape(type.shape, sharding, mesh)) *
         ByteSize(HeldType(type, sharding).element);
}

StepPricer::StepPricer(const Mesh& mesh, const Cluster& cluster)
    : mesh_(mesh), cluster_(cluster), traffic_(mesh, kSampledRanks) {
  CHECK(mesh.axes.size() <= kMaxMeshAxes, "the mesh has too many axes");
}

size_t StepPricer::Hash::operator()(const Key& key) const {
  uint64_t hash = static_cast<uint64_t>(key.bytes) * 0x9e3779b97f4a7c15U;
  hash ^= (static_cast<uint64_t>(key.op) << 40) ^ (static_cast<uint64_t>(key.local) << 48) ^
          (static_cast<uint64_t>(key.element) << 32) ^ key.axes;
  return (hash ^ (hash >> 29)) * 0xff51afd7ed558ccdU;
}

const Group& StepPricer::GroupAlong(uint32_t axes) {
  const auto found = groups_.find(axes);
  if (found != groups_.end()) return found->second;
  std::vector<int> ranks;
  for (int64_t rank : mesh_.Group(AxisList::OfMask(axes).ids(), 0))
    ranks.push_back(static_cast<int>(rank));
  return groups_.emplace(axes, GroupOf(cluster_, ranks)).first->second;
}

const Priced& StepPricer::Remembered(const Key& key) {
  const auto [at, added] = prices_.try_emplace(key);
  if (!added) return at->second;
  if (key.local)
    at->second = ComputeSeconds(
        cluster_, ComputeWork{.op = {}, .dtype = key.element, .flops = 0, .bytes = key.bytes});
  else
    at->second = CollectiveSeconds(cluster_, key.op, GroupAlong(key.axes), key.bytes, key.element);
  return at->second;
}

const Priced& StepPricer::Price(CollectiveKind kind,
                                const AxisList& axes,
                                int64_t bytes_before,
                                int64_t bytes_after,
                                ElementType element) {
  if (kind == CollectiveKind::kSlice || kind == CollectiveKind::kPartial ||
      kind == CollectiveKind::kSpare)
    return Remembered({.local = true, .element = element, .bytes = 2 * bytes_after});
  return Remembered({.op = CollectiveOf(kind),
                     .axes = axes.mask(),
                     .element = element,
                     .bytes = std::max(bytes_before, bytes_after)});
}

// A rank receives from its peers one after the other: each message has its own latency.
Priced StepPricer::Exchange(const TensorType& type,
                            const Sharding& from,
                            const Sharding& to,
                            const std::vector<int>& axes) {
  const Inflow worst = traffic_.Worst(type.shape, from, to, axes);
  const int64_t item = ByteSize(type.element);
  if (worst.peers == 0) {
    const int64_t after = NumElements(LargestLocalShape(type.shape, to, mesh_));
    return Price(CollectiveKind::kSlice, {}, 0, after * item, type.element);
  }
  const int64_t message = (worst.elements + worst.peers - 1) / worst.peers * item;
  return Remembered({.op = Collective::kSendRecv,
                     .axes = AxisList(axes).mask(),
                     .element = type.element,
                     .bytes = message}) *
         worst.peers;
}

Priced StepPricer::Halo(const CollectiveStep& step, const TensorType& type) {
  const int64_t bytes = ReceivedBytes(step, type, mesh_);
  const ElementType held = HeldType(type, step.to).element;
  if (bytes == 0)
    return Price(CollectiveKind::kSlice, {}, 0, LargestHeldBytes(type, step.to, mesh_), held);
  int messages = 0;
  for (const DimSharding& dim : step.to.dims) messages += Messages(dim, mesh_);
  if (messages == 0) return {};
  return Remembered({.op = Collective::kSendRecv,
                     .axes = AxisList(step.axes).mask(),
                     .element = held,
                     .bytes = (bytes + messages - 1) / messages}) *
         messages;
}

Priced StepPricer::Price(const CollectiveStep& step, const TensorType& type) {
  if (step.kind == CollectiveKind::kHalo) return Halo(step, type);
  if (IsPrefixSlice(step)) return {};
  if (step.kind == CollectiveKind::kExchange)
    return Exchange(HeldType(type, step.from), step.from, step.to, step.axes);
  return Price(step.kind,
               AxisList(step.axes),
               LargestHeldBytes(type, step.from, mesh_),
               LargestHeldBytes(type, step.to, mesh_),
               HeldType(type, step.from).element);
}

}  // namespace metadist
