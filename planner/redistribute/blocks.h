// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "planner/redistribute/route_problem.h"

namespace metadist {

// What a permutation cannot change: into how many pieces each slot is cut, and what is partial.
// Between two layouts of one BlockShape, every rank's block is some rank's block.
struct BlockShape {
  std::vector<int64_t> pieces;  // by slot
  std::vector<Partial> partial;
  auto operator<=>(const BlockShape&) const = default;
};
BlockShape BlockShapeOf(const View& view, const Mesh& mesh, const Layout& layout);

// All layouts of a BlockShape that leave the frozen axes of `like` (one of them) where they are.
// distinct: of layouts that differ in the names of axes of one size only, one.
std::vector<Layout> LayoutsOf(
    const View& view, const Mesh& mesh, const Layout& like, const MoveRule& rule, bool distinct);

// The layout with axes of one size renamed in the order of slots, so that layouts which differ in
// nothing else become equal. Frozen and partial axes keep their names.
Layout NamedBySize(const View& view, const Mesh& mesh, const Layout& layout, uint32_t frozen);

}  // namespace metadist
