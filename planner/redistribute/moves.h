// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/view.h"

namespace metadist {

// One collective on whole mesh axes, seen through a view.
struct Move {
  CollectiveKind kind = CollectiveKind::kSlice;
  AxisList axes;  // major to minor
  Layout to;
};

// All moves from a layout, in a fixed order: slice, gather, all-to-all, reduce-scatter, all-reduce.
// Every rank's new part is held by (or, reduced, made from) the ranks of its own group.
std::vector<Move> MovesFrom(const View& view, const Mesh& mesh, const Layout& from);

// Whether appending axes of `added` pieces to a slot cut in `pieces` divides every piece within
// itself: balanced pieces of pieces are the balanced pieces of the whole.
bool Nests(int64_t size, int64_t pieces, int64_t added);

}  // namespace metadist
