// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "planner/redistribute/prime_mesh.h"
#include "planner/redistribute/view.h"

namespace metadist {

// The role of a whole mesh axis for an array; PyTorch calls it the placement on that mesh dim.
struct Placement {
  enum class Kind : uint8_t { kReplicate, kShard, kPartial };
  Kind kind = Kind::kReplicate;
  size_t slot = 0;               // kShard
  ReduceOp op = ReduceOp::kSum;  // kPartial
  bool operator==(const Placement&) const = default;
};

// Placements on all axes of mesh.whole (axes of size 1 replicate) and, by slot, the whole axes that
// cut it, major to minor.
struct WholeAxes {
  std::vector<Placement> placements;
  std::vector<std::vector<int>> order;
};

// nullopt if less than a whole axis cuts a slot or is partial.
std::optional<WholeAxes> WholeAxesOf(const Layout& layout, size_t slots, const PrimeMesh& mesh);

// The factors of a whole axis.
AxisList FactorsOf(int whole_axis, const PrimeMesh& mesh);

}  // namespace metadist
