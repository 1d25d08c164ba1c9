// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/rules/factor/rule.h"

// Layouts of several blocks: three blocks of 2048, each cut over the ranks.
namespace metadist {

// A block-cyclic layout of things in a row: `repeat` blocks in a row, each the concatenation of
// `parts`; of every part each rank has a balanced run of `size` bundles of `unit` things. What a
// Cut says of a dim, without the dim.
struct BlockCyclic {
  int64_t repeat = 1;
  std::vector<Cut::Part> parts = {};

  // A run of things for each rank: what a factor does by itself.
  bool in_a_row() const { return blocks() == 1 && parts[0].unit == 1; }
  int64_t blocks() const { return repeat * static_cast<int64_t>(parts.size()); }
  auto operator<=>(const BlockCyclic&) const = default;
};

// The layout of a dim under a cut without halo and spare element. Layouts that come to the same
// wherever `ranks` divides are equal. ranks: all of the mesh.
BlockCyclic BlockCyclicOf(const Cut& cut, int64_t ranks);

// The layout of the groups of `cut`, a cut of one part, where its dim has the layout `dim`; none
// where a group would be divided or the blocks of the cut would differ in their layouts.
std::optional<BlockCyclic> BlockCyclicOfGroups(const BlockCyclic& dim,
                                               const Cut& cut,
                                               int64_t ranks);

// The factor with its groups in this layout, without the ways through a decomposition; none where
// it needs runs of groups, or has others.
std::optional<Factor> CutBlockCyclic(const Factor& factor, const BlockCyclic& layout);

// A factor of a node's rule, and a layout of its groups that a neighbour takes or makes.
struct BlockCyclicFactor {
  int factor = 0;
  BlockCyclic layout;
  auto operator<=>(const BlockCyclicFactor&) const = default;
};

}  // namespace metadist
