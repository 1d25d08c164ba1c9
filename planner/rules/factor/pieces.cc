// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/factor/pieces.h"

#include <algorithm>

namespace metadist {

Cut CutAt(const SymbolicCut& cut, std::span<const int64_t> sizes) {
  Cut out{cut.tensor, cut.dim, cut.repeat.At(sizes), {}, cut.spare};
  for (const SymbolicCut::Part& part : cut.parts)
    out.parts.push_back({sizes[static_cast<size_t>(part.atom)], part.unit.At(sizes)});
  return out;
}

std::vector<int64_t> IndicesOf(const Cut& cut, int64_t ranks, int64_t rank) {
  std::vector<int64_t> indices;
  int64_t offset = 0;
  for (int64_t block = 0; block < cut.repeat; ++block)
    for (const Cut::Part& part : cut.parts) {
      const Interval own = Piece(part.size, ranks, rank);
      for (int64_t i = own.begin * part.unit; i < own.end * part.unit; ++i)
        indices.push_back(offset + i);
      offset += part.size * part.unit;
    }
  return indices;
}

bool Divides(const SymbolicFactor& factor, int atom) {
  return std::ranges::find(factor.atoms, atom) != factor.atoms.end();
}

bool IsAt(const SymbolicFactor& factor, std::span<const int64_t> sizes) {
  return std::ranges::all_of(factor.fixed, [&](const auto& fixed) {
    return sizes[static_cast<size_t>(fixed.first)] == fixed.second;
  });
}

bool NeedsARow(const SymbolicFactor& factor) {
  const auto special = [](const SymbolicCut& cut) {
    return cut.spare || cut.window || cut.parts.size() != 1;
  };
  return factor.atoms.size() != 1 || !factor.inner.recipe.empty() || !factor.shifts.empty() ||
         !factor.indices.empty() || std::ranges::any_of(factor.inputs, special) ||
         std::ranges::any_of(factor.outputs, special);
}

}  // namespace metadist
