// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "planner/redistribute/route_problem.h"

namespace metadist {

// What a permutation cannot change: the number of pieces of each slot, and the partial axes.
// Between two layouts of one BlockShape, every rank's block is a block of some rank.
struct BlockShape {
  std::vector<int64_t> pieces;  // by slot
  std::vector<Partial> partial;
  auto operator<=>(const BlockShape&) const = default;
};
BlockShape BlockShapeOf(const View& view, const Mesh& mesh, const Layout& layout);

// All layouts with the BlockShape of `like` that do not move frozen axes. distinct: of layouts that
// differ only in which of several axes of one size is where, only one.
std::vector<Layout> LayoutsOf(
    const View& view, const Mesh& mesh, const Layout& like, const MoveRule& rule, bool distinct);

// The layout with axes of one size renamed in the order of slots, so that layouts that differ in
// nothing else become equal. Frozen and partial axes keep their names.
Layout NamedBySize(const View& view, const Mesh& mesh, const Layout& layout, uint32_t frozen);

}  // namespace metadist
