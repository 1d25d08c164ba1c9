// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/whole_axes.h"

#include <algorithm>

namespace metadist {

AxisList FactorsOf(int whole_axis, const PrimeMesh& mesh) {
  return AxisList(mesh.factors[static_cast<size_t>(whole_axis)]);
}

std::optional<WholeAxes> WholeAxesOf(const Layout& layout, size_t slots, const PrimeMesh& mesh) {
  WholeAxes out{std::vector<Placement>(mesh.whole.axes.size()),
                std::vector<std::vector<int>>(slots)};
  for (size_t slot = 0; slot < slots; ++slot) {
    const std::vector<int> axes = layout.AxesOf(slot).ids();
    for (size_t i = 0; i < axes.size();) {
      const int whole = mesh.AxisOf(axes[i]);
      const std::vector<int>& factors = mesh.factors[static_cast<size_t>(whole)];
      if (axes.size() - i < factors.size() ||
          !std::equal(factors.begin(), factors.end(), axes.begin() + static_cast<long>(i)))
        return std::nullopt;
      out.placements[static_cast<size_t>(whole)] = {Placement::Kind::kShard, slot, {}};
      out.order[slot].push_back(whole);
      i += factors.size();
    }
  }
  for (size_t whole = 0; whole < mesh.factors.size(); ++whole) {
    const std::vector<int>& factors = mesh.factors[whole];
    const auto op = factors.empty() ? std::nullopt : layout.PartialOf(factors[0]);
    for (int factor : factors)
      if (layout.PartialOf(factor) != op) return std::nullopt;
    if (op) out.placements[whole] = {Placement::Kind::kPartial, 0, *op};
  }
  return out;
}

}  // namespace metadist
