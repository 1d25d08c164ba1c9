// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/view.h"

namespace metadist {

// One collective on mesh axes, in terms of a view.
struct Move {
  CollectiveKind kind = CollectiveKind::kSlice;
  AxisList axes;  // major to minor
  Layout to;
};

// A set of moves: a bit for each CollectiveKind.
using MoveKinds = uint32_t;
constexpr MoveKinds Only(CollectiveKind kind) { return MoveKinds{1} << static_cast<int>(kind); }
inline constexpr MoveKinds kAllMoves =
    Only(CollectiveKind::kSlice) | Only(CollectiveKind::kAllGather) |
    Only(CollectiveKind::kAllToAll) | Only(CollectiveKind::kReduceScatter) |
    Only(CollectiveKind::kAllReduce);

struct MoveRule {
  MoveKinds kinds = kAllMoves;
  bool even = false;    // only pieces of equal size
  uint32_t frozen = 0;  // axes (a bit each) that must not move
  // Slices by several axes at once, and reductions over every set of partial axes; otherwise slices
  // by one axis, and reductions over one partial axis or all.
  bool grouped = false;
  bool by_size = false;  // of several free axes of one size, only the first is appended
};

// The moves from a layout, in a fixed order: slices, then for each slot its minor-most axes, one
// and more, all-to-all and gather, then reduce-scatter and all-reduce. A rank's new part only
// depends on data of its own group.
std::vector<Move> MovesFrom(const View& view,
                            const Mesh& mesh,
                            const Layout& from,
                            const MoveRule& rule = {});

// The gathers that end in `to`, reversed: a gather of `axes` leads from Move::to to the layout.
// Includes every sequence of free axes that can cut a slot.
std::vector<Move> GathersTo(const View& view,
                            const Mesh& mesh,
                            const Layout& to,
                            const MoveRule& rule = {});

// Whether appending axes of `added` pieces to a slot of these sizes cut in `pieces` divides each
// piece within itself: balanced pieces of pieces must be the balanced pieces of the whole. even:
// all pieces of a size must be equal.
bool CanCut(const std::vector<int64_t>& sizes, int64_t pieces, int64_t added, bool even);

}  // namespace metadist
