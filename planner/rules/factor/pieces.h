// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// A symbolic cut at these atom sizes, without its window.
Cut CutAt(const SymbolicCut& cut, std::span<const int64_t> sizes);

// Global indices that rank `rank` of `ranks` holds of a dim cut this way, in local order.
std::vector<int64_t> IndicesOf(const Cut& cut, int64_t ranks, int64_t rank);

// Whether the factor divides the atom.
bool Divides(const SymbolicFactor& factor, int atom);

// Whether the atoms have the sizes to which the factor is restricted.
bool IsAt(const SymbolicFactor& factor, std::span<const int64_t> sizes);

// Whether the factor's pieces must be runs of groups: the call depends on where they begin, a
// window slides over them, a recipe joins them in order, or several dims are cut together.
bool NeedsARow(const SymbolicFactor& factor);

// The cut (Cut, SymbolicCut) of a tensor; nullptr if the tensor is not cut.
template <typename AnyCut, std::integral Index>
const AnyCut* CutOf(const std::vector<AnyCut>& cuts, Index tensor) {
  for (const AnyCut& cut : cuts)
    if (cut.tensor == static_cast<int>(tensor)) return &cut;
  return nullptr;
}

}  // namespace metadist
