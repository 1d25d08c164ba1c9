// SPDX-License-Identifier: Apache-2.0
// Slices added at indices along an axis, in the order of the indices; those outside are ignored.
#include <algorithm>

#include "executor/cpu/indices.h"
#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {

Prepared GatherGradient(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32 || !IsIndex(site.element(1)))
    return Decline("f32 and i32 or i64 indices only");
  const Shape& shape = site.out().shape;
  const auto axis =
      NormalizeAxis(site.attributes().Int("axis", 0), static_cast<int64_t>(shape.size()));
  if (!axis.ok()) return Decline("no such axis");
  const AxisSplit y = SplitAround(shape, axis.value());
  const int64_t indices = NumElements(site.shape(1));
  const bool wide = site.element(1) == ElementType::kI64;
  return Accept("rows", [=](const KernelArgs& args) {
    const Indices index{args.inputs[1], wide};
    const float* from = args.in(0);
    std::fill_n(args.out(), y.outer * y.size * y.inner, 0.0F);
    for (int64_t o = 0; o < y.outer; ++o)
      for (int64_t i = 0; i < indices; ++i, from += y.inner) {
        const int64_t at = index.Place(i, y.size);
        if (at < 0) continue;
        float* const to = args.out() + (o * y.size + at) * y.inner;
        for (int64_t e = 0; e < y.inner; ++e) to[e] += from[e];
      }
  });
}

}  // namespace metadist::cpu
