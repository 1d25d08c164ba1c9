// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/indices.h"

#include <fmt/format.h>

#include <utility>

namespace metadist::cpu {

Error OutOfRange(int64_t index, int64_t size) {
  return BadInput("", fmt::format("index must be in [{}, {}], got {}", -size, size - 1, index));
}

std::optional<AxisIndices> AxisIndices::Make(const KernelSite& site, int64_t axis) {
  const size_t d = static_cast<size_t>(axis);
  std::vector<int64_t> strides = Strides(site.shape(0));
  const int64_t step = std::exchange(strides[d], 0);
  const auto nest = LoopNest::Make(site.shape(1), {strides, Strides(site.shape(1))});
  if (!nest) return std::nullopt;
  return AxisIndices{*nest, step, site.shape(0)[d], site.element(1) == ElementType::kI64};
}

}  // namespace metadist::cpu
