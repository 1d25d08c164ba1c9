// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/sharding.h"

// One step from one sharding to another. In a Program it is a node of domain "metadist" named after
// its kind, with one input, one output and the attribute `axes` (names of mesh axes, major to
// minor). The shardings of the two values determine which data moves where.
namespace metadist {

enum class CollectiveKind : uint8_t {
  kSlice,          // local: keep part of what the rank holds
  kPartial,        // local: a whole value becomes an operand of a reduction (other ranks hold the
                   // identity, or the same operand if repeating it changes nothing: max, min, and,
                   // or)
  kAllGather,      // fetch what the other ranks of the group hold
  kAllToAll,       // each rank keeps one part and fetches one from every other
  kPermute,        // each rank takes the whole block of one rank, possibly its own
  kExchange,       // any sharding to any other: every rank fetches what it lacks from a rank that
                   // holds it
  kHalo,           // each rank fetches the part of its halo that it does not hold
  kSpare,          // local: each rank appends a zero element to its piece
  kReduceScatter,  // reduce over the group, each rank keeping its part
  kAllReduce,      // reduce over the group, each rank keeping all
};
inline constexpr std::string_view kCollectiveDomain = "metadist";

// "AllGather", ...; also the operator name of the node.
std::string_view Name(CollectiveKind kind);
// nullopt unless the node is a collective.
std::optional<CollectiveKind> CollectiveOf(const Node& node);

// Whether the node moves data between ranks: it is a collective that is not local.
bool Communicates(const Node& node);

// Consecutive collectives with the same bundle number are executed as one. nullopt: the node
// belongs to no bundle. Stored in the attribute `bundle`.
std::optional<int64_t> BundleOf(const Node& node);
inline constexpr char kBundleAttribute[] = "bundle";

// Whether the collective runs beside the nodes that follow it, up to its first reader
// (metair/spmd/overlapping.h). Stored in the attribute `overlaps`.
bool Overlaps(const Node& node);
inline constexpr char kOverlapsAttribute[] = "overlaps";

struct CollectiveStep {
  CollectiveKind kind = CollectiveKind::kSlice;
  std::vector<int> axes;  // ids of the mesh axes whose ranks take part
  Sharding from;
  Sharding to;
};

// A Slice whose result is a prefix of its operand's bytes: a view. Marked by the attribute `head`.
bool IsPrefixSlice(const Node& node);
inline constexpr char kHeadAttribute[] = "head";

// Whether the step only drops spare elements, all of them of dim 0.
bool IsPrefixSlice(const CollectiveStep& step);

// The most bytes that any rank receives from others in a step on an array of `type` (global shape).
// An all-reduce counts 2 L (g - 1) / g and a reduce-scatter L (g - 1) / g; g = ranks in the group,
// L = bytes a rank holds before.
int64_t ReceivedBytes(const CollectiveStep& step, const TensorType& type, const Mesh& mesh);

}  // namespace metadist
