// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/view.h"

namespace metadist {

// One collective on mesh axes, seen through a view.
struct Move {
  CollectiveKind kind = CollectiveKind::kSlice;
  AxisList axes;  // major to minor
  Layout to;
};

// Which moves are wanted: a bit for each CollectiveKind.
using MoveKinds = uint32_t;
constexpr MoveKinds Only(CollectiveKind kind) { return MoveKinds{1} << static_cast<int>(kind); }
inline constexpr MoveKinds kAllMoves =
    Only(CollectiveKind::kSlice) | Only(CollectiveKind::kAllGather) |
    Only(CollectiveKind::kAllToAll) | Only(CollectiveKind::kReduceScatter) |
    Only(CollectiveKind::kAllReduce);

struct MoveRule {
  MoveKinds kinds = kAllMoves;
  bool even = false;    // pieces of one size only
  uint32_t frozen = 0;  // axes (a bit each) that stay where they are
  // Slices by several axes at once, and reductions over every set of partial axes; else slices by
  // one axis, and reductions over one partial axis or all.
  bool grouped = false;
  bool by_size = false;  // of several free axes of one size, only the first is appended
};

// The moves from a layout, in a fixed order: slices, then for each slot its minor-most axes, one
// and more, all-to-all and gather, then reduce-scatter and all-reduce. Every rank's new part is
// held by (or, reduced, made from) the ranks of its own group.
std::vector<Move> MovesFrom(const View& view,
                            const Mesh& mesh,
                            const Layout& from,
                            const MoveRule& rule = {});

// The same gathers backwards: a gather of `axes` leads from Move::to to the layout. Every sequence
// of free axes that a slot can be cut by.
std::vector<Move> GathersTo(const View& view,
                            const Mesh& mesh,
                            const Layout& to,
                            const MoveRule& rule = {});

// Whether appending axes of `added` pieces to a slot cut in `pieces` divides every piece within
// itself: balanced pieces of pieces are the balanced pieces of the whole.
bool Nests(int64_t size, int64_t pieces, int64_t added);

}  // namespace metadist
