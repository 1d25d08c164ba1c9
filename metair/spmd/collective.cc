// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/collective.h"

#include <algorithm>

#include "metair/spmd/common_indices.h"

namespace metadist {
namespace {

constexpr std::string_view kNames[] = {"Slice",
                                       "Partial",
                                       "AllGather",
                                       "AllToAll",
                                       "Permute",
                                       "Exchange",
                                       "Halo",
                                       "Spare",
                                       "ReduceScatter",
                                       "AllReduce"};

// Elements of `to` that a rank already holds under `from`.
int64_t Overlap(const CollectiveStep& step,
                const Shape& shape,
                const Mesh& mesh,
                const std::vector<int64_t>& coordinate) {
  int64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    elements *=
        CommonIndices(step.from.dims[d], coordinate, step.to.dims[d], coordinate, shape[d], mesh);
  return elements;
}

}  // namespace

std::string_view Name(CollectiveKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<CollectiveKind> CollectiveOf(const Node& node) {
  if (node.domain != kCollectiveDomain) return std::nullopt;
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (node.op == kNames[i]) return static_cast<CollectiveKind>(i);
  return std::nullopt;
}

bool Communicates(const Node& node) {
  const auto kind = CollectiveOf(node);
  return kind && *kind != CollectiveKind::kSlice && *kind != CollectiveKind::kPartial &&
         *kind != CollectiveKind::kSpare;
}

std::optional<int64_t> BundleOf(const Node& node) {
  if (node.domain != kCollectiveDomain) return std::nullopt;
  const auto found = node.attributes.all().find(kBundleAttribute);
  if (found == node.attributes.all().end()) return std::nullopt;
  const auto* number = std::get_if<int64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional<int64_t>(*number);
}

bool Overlaps(const Node& node) {
  return CollectiveOf(node) && node.attributes.has(kOverlapsAttribute);
}

bool IsPrefixSlice(const Node& node) {
  return CollectiveOf(node) == CollectiveKind::kSlice && node.attributes.has(kHeadAttribute);
}

bool IsPrefixSlice(const CollectiveStep& step) {
  if (step.kind != CollectiveKind::kSlice || step.from.WithoutSpares() != step.to) return false;
  for (size_t d = 1; d < step.from.dims.size(); ++d)
    if (step.from.dims[d].spare) return false;
  return step.from.has_spares();
}

int64_t ReceivedBytes(const CollectiveStep& step, const TensorType& type, const Mesh& mesh) {
  const int64_t group = mesh.size(step.axes);
  const int64_t item = ByteSize(HeldType(type, step.from).element);
  switch (step.kind) {
    case CollectiveKind::kSlice:
    case CollectiveKind::kPartial:
    case CollectiveKind::kSpare:
      return 0;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllReduce: {
      const int64_t held = NumElements(LargestLocalShape(type.shape, step.from, mesh)) * item;
      return (step.kind == CollectiveKind::kAllReduce ? 2 : 1) * held * (group - 1) / group;
    }
    default:
      break;
  }
  int64_t most = 0;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    const int64_t wanted = NumElements(LocalShape(type.shape, step.to, mesh, rank));
    const int64_t own = Overlap(step, type.shape, mesh, mesh.CoordinateOf(rank));
    // A permute moves whole blocks.
    const bool whole = step.kind == CollectiveKind::kPermute && own < wanted;
    most = std::max(most, whole ? wanted : wanted - own);
  }
  return most * item;
}

}  // namespace metadist
