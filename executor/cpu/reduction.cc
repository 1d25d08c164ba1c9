// SPDX-License-Identifier: Apache-2.0
// Adjacent axes make the array [outer, reduced, inner]. inner = 1 reduces rows in lanes, inner > 1
// adds whole rows to each other.
#include "executor/cpu/reduction.h"

#include <algorithm>

#include "executor/cpu/layout.h"
#include "executor/cpu/reduction_loops.h"
#include "executor/cpu/row.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

using F = ReductionFunction;

struct Extent {
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
};

METADIST_MULTIVERSION
void ReduceRows(F function, const Extent& e, const float* x, float* y) {
  const float scale = function == F::kReduceMean ? 1.0f / static_cast<float>(e.reduced) : 1.0f;
  for (int64_t o = 0; o < e.outer; ++o, x += e.reduced) {
    if (function == F::kReduceMax)
      y[o] = MaxRow(x, e.reduced, Larger<float>);
    else
      y[o] = SumRow(x, e.reduced, [](float a) { return a; }) * scale;
  }
}

METADIST_MULTIVERSION
void ReduceColumns(F function, const Extent& e, const float* x, float* y) {
  const float scale = function == F::kReduceMean ? 1.0f / static_cast<float>(e.reduced) : 1.0f;
  for (int64_t o = 0; o < e.outer; ++o, y += e.inner) {
    for (int64_t i = 0; i < e.inner; ++i) y[i] = x[i];
    x += e.inner;
    for (int64_t r = 1; r < e.reduced; ++r, x += e.inner) {
      if (function == F::kReduceMax)
        for (int64_t i = 0; i < e.inner; ++i) y[i] = Larger(x[i], y[i]);
      else
        for (int64_t i = 0; i < e.inner; ++i) y[i] += x[i];
    }
    for (int64_t i = 0; i < e.inner; ++i) y[i] *= scale;
  }
}

Prepared Bind(F function, const Extent& extent) {
  if (extent.reduced == 0) return Decline("nothing to reduce");
  return Accept(extent.inner == 1 ? "rows" : "columns", [function, extent](const KernelArgs& args) {
    const float* x = args.in(0);
    float* y = args.out();
    if (extent.inner == 1)
      ReduceRows(function, extent, x, y);
    else
      ReduceColumns(function, extent, x, y);
  });
}

// For f32 with adjacent reduced dims.
Prepared ReduceNeighbours(const KernelSite& site, F function, std::vector<bool> reduced) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  if (function != F::kReduceSum && function != F::kReduceMean && function != F::kReduceMax)
    return Decline("sums, means and maxima only");
  const Shape& shape = site.shape(0);
  Shape sizes = shape;
  if (site.strided(0)) {
    if (!ReadsChannelsLast(site)) return Decline("strides are neither row-major nor channels-last");
    std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
    std::rotate(reduced.begin() + 1, reduced.begin() + 2, reduced.end());
    // The remaining dims must already be in the order of the result.
    for (size_t d = 1; d + 1 < sizes.size(); ++d)
      if (!reduced[d] && sizes[d] != 1 && !reduced.back())
        return Decline("the result would be transposed");
  }
  Extent extent;
  int stage = 0;  // before, in, or after the reduced group of dims
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (reduced[d] && stage == 2) return Decline("axes are not neighbours");
    if (reduced[d]) stage = 1;
    if (!reduced[d] && stage == 1) stage = 2;
    (stage == 0 ? extent.outer : stage == 1 ? extent.reduced : extent.inner) *= sizes[d];
  }
  return Bind(function, extent);
}

Prepared ReduceSpace(const KernelSite& site, F function) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const AxisSplit split = SplitAround(site.shape(0), 1);
  if (!site.strided(0)) return Bind(function, {split.outer * split.size, split.inner, 1});
  if (!ReadsChannelsLast(site)) return Decline("strides are neither row-major nor channels-last");
  return Bind(function, {split.outer, split.inner, split.size});
}

}  // namespace

Prepared PrepareReduction(const KernelSite& site, ReductionFunction function) {
  const Shape& shape = site.shape(0);
  std::vector<int64_t> axes = site.attributes().Ints("axes");
  if (site.call->has(1)) {
    auto given = site.call->Ints(1);
    if (!given.ok()) return Decline("axes are not known");
    axes = given.value();
  }
  if (axes.empty() && site.attributes().Int("noop_with_empty_axes", 0) != 0)
    return Decline("no axes");
  std::vector<bool> reduced(shape.size(), axes.empty());
  for (int64_t axis : axes) {
    auto at = NormalizeAxis(axis, static_cast<int64_t>(shape.size()));
    if (!at.ok()) return Decline(at.error().message);
    reduced[static_cast<size_t>(at.value())] = true;
  }
  Prepared prepared = ReduceNeighbours(site, function, reduced);
  return prepared.ok() ? prepared : ReduceByLoops(site, function, reduced);
}

Prepared GlobalAveragePool(const KernelSite& site) { return ReduceSpace(site, F::kReduceMean); }
Prepared GlobalMaxPool(const KernelSite& site) { return ReduceSpace(site, F::kReduceMax); }

}  // namespace metadist::cpu
