// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/sharding.h"

// One step from a sharding to another. In a Program it is a node of domain "metadist" named after
// its kind, with one input, one output and the attribute `axes` (names of mesh axes, major to
// minor); what moves where follows from the shardings of the two values.
namespace metadist {

enum class CollectiveKind : uint8_t {
  kSlice,          // local: keep a part of what the rank holds
  kPartial,        // local: a whole value becomes an operand of a reduction (others hold identity,
                   // or the same operand where repeating it changes nothing: max, min, and, or)
  kAllGather,      // fetch what the group's other ranks hold
  kAllToAll,       // each rank keeps one part and fetches one from every other
  kPermute,        // each rank takes all that one other rank (or itself) holds
  kExchange,       // any sharding to any other: every rank fetches what it lacks from a holder
  kHalo,           // each rank fetches what its halo holds beyond its own piece, or instead of it
  kSpare,          // local: each rank adds a zero element behind its piece
  kReduceScatter,  // reduce over the group, each rank keeping its part
  kAllReduce,      // reduce over the group, each rank keeping all
};
inline constexpr std::string_view kCollectiveDomain = "metadist";

// "AllGather", ...; also the operator name of the node.
std::string_view Name(CollectiveKind kind);
// nullopt unless the node is a collective.
std::optional<CollectiveKind> CollectiveOf(const Node& node);

// Collectives with one number follow each other and are done as one; nullopt: alone. The attribute
// `bundle`.
std::optional<int64_t> BundleOf(const Node& node);
inline constexpr char kBundleAttribute[] = "bundle";

struct CollectiveStep {
  CollectiveKind kind = CollectiveKind::kSlice;
  std::vector<int> axes;  // ids of the mesh axes whose ranks take part
  Sharding from;
  Sharding to;
};

// A Slice whose result is the head of its operand, byte for byte: a view. The attribute `head`.
bool TakesHead(const Node& node);
inline constexpr char kHeadAttribute[] = "head";

// Whether the step drops spare elements and nothing else, all of them of dim 0.
bool TakesHead(const CollectiveStep& step);

// Bytes the busiest rank receives from others in a step on an array of `type` (global shape). An
// all-reduce counts 2 L (g - 1) / g and a reduce-scatter L (g - 1) / g, L = bytes held before.
int64_t ReceivedBytes(const CollectiveStep& step, const TensorType& type, const Mesh& mesh);

}  // namespace metadist
