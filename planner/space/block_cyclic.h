// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/rules/factor/rule.h"

// Layouts of several blocks, for example three blocks of 2048, each cut over the ranks.
namespace metadist {

// A block-cyclic layout of a sequence of items: `repeat` blocks in a row, each the concatenation of
// `parts`. Each rank has a balanced run of the `size` bundles of `unit` items of every part. The
// same as a Cut, without the dim.
struct BlockCyclic {
  int64_t repeat = 1;
  std::vector<Cut::Part> parts = {};

  // Each rank has one run of items: the default layout of a factor.
  bool in_a_row() const { return blocks() == 1 && parts[0].unit == 1; }
  int64_t blocks() const { return repeat * static_cast<int64_t>(parts.size()); }
  auto operator<=>(const BlockCyclic&) const = default;
};

// The layout of a dim under a cut without halo and spare element. Layouts that are the same
// wherever `ranks` divides the sizes compare equal. ranks: of the whole mesh.
BlockCyclic BlockCyclicOf(const Cut& cut, int64_t ranks);

// The layout of the groups of `cut`, a cut of one part, if its dim has the layout `dim`; nullopt if
// a group would be divided or the blocks of the cut would have different layouts.
std::optional<BlockCyclic> BlockCyclicOfGroups(const BlockCyclic& dim,
                                               const Cut& cut,
                                               int64_t ranks);

// The factor with its groups in this layout, without its ways through a decomposition; nullopt if
// the factor needs runs of groups, or has a different number of them.
std::optional<Factor> CutBlockCyclic(const Factor& factor, const BlockCyclic& layout);

// A factor of a node's rule, and a layout of its groups that a neighbouring node takes or makes.
struct BlockCyclicFactor {
  int factor = 0;
  BlockCyclic layout;
  auto operator<=>(const BlockCyclicFactor&) const = default;
};

}  // namespace metadist
