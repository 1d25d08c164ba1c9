// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/rules/rule.h"

// Layouts of several blocks: three blocks of 2048, each cut over the ranks.
namespace metadist {

// An order in which things in a row are dealt to ranks: `repeat` blocks in a row, each the
// concatenation of `parts`; of every part each rank has a balanced run of `size` bundles of `unit`
// things. What a Cut says of a dim, without the dim.
struct Deal {
  int64_t repeat = 1;
  std::vector<Cut::Part> parts = {};

  // A run of things for each rank: what a factor does by itself.
  bool in_a_row() const { return blocks() == 1 && parts[0].unit == 1; }
  int64_t blocks() const { return repeat * static_cast<int64_t>(parts.size()); }
  auto operator<=>(const Deal&) const = default;
};

// The order in which the elements of a dim are dealt by a cut without halo and spare element. Deals
// that come to the same wherever `ranks` divides are equal. ranks: all of the mesh.
Deal DealOf(const Cut& cut, int64_t ranks);

// How the groups of `cut`, a cut of one part, are dealt where its dim lies as `dim`; none where a
// group would be divided or the blocks of the cut would be dealt differently.
std::optional<Deal> DealOfGroups(const Deal& dim, const Cut& cut, int64_t ranks);

// The factor with its groups dealt so, without the ways through a decomposition; none where it
// needs runs of groups, or has others.
std::optional<Factor> Dealt(const Factor& factor, const Deal& deal);

// A factor of a node's rule, and an order in which a neighbour deals its groups.
struct FactorDeal {
  int factor = 0;
  Deal deal;
  auto operator<=>(const FactorDeal&) const = default;
};

}  // namespace metadist
