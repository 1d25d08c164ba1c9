// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/reduce.h"

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/work.h"

namespace metadist {

Result<Reduction> ReductionOf(const OpCall& call) {
  const Shape& shape = call.shape(0);
  std::vector<int64_t> axes;
  if (call.has(1)) axes = TRY(NormalizeAxes(TRY(call.Ints(1)), call.rank(0)));
  const bool all = axes.empty() && call.attributes->Int("noop_with_empty_axes", 0) == 0;
  const bool keep = call.attributes->Int("keepdims", 1) != 0;
  Reduction reduction{std::vector<bool>(shape.size(), all), {}, 1};
  for (int64_t axis : axes) reduction.folded[static_cast<size_t>(axis)] = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (reduction.folded[d]) reduction.count *= shape[d];
    if (!reduction.folded[d])
      reduction.shape.push_back(shape[d]);
    else if (keep)
      reduction.shape.push_back(1);
  }
  return reduction;
}

Result<std::vector<TensorType>> InferReduction(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1, 2).Integers(1).Rank(1, 1, 1).Done());
  const Reduction reduction = TRY(ReductionOf(call));
  return std::vector<TensorType>{{call.type(0).element, reduction.shape}};
}

Result<std::vector<TensorType>> InferNumberReduction(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1, 2).Numbers(0).Integers(1).Rank(1, 1, 1).Done());
  return InferReduction(call);
}

Work ReductionWork(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(0)));
}

std::vector<int64_t> FoldedStrides(const Shape& shape, const std::vector<bool>& folded) {
  std::vector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (folded[d]) continue;
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

Result<FoldedTerms> FoldedTermsOf(GradientCall& g) {
  const Reduction reduction = TRY(ReductionOf(g.call()));
  Shape kept = g.call().shape(0);
  for (size_t d = 0; d < kept.size(); ++d)
    if (reduction.folded[d]) kept[d] = 1;
  return FoldedTerms{reduction.folded, g.y().Reshaped(kept), g.dy().Reshaped(kept)};
}

Term SharedByExtremes(const Term& x,
                      const Term& y,
                      const Term& dy,
                      const std::vector<int64_t>& axes) {
  const Term wide = dy.Wide();
  const Term hit = (x == y).As(wide.element());
  return hit * (wide / hit.Sum(axes));
}

Result<void> ReducedExtremeGradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  std::vector<int64_t> axes;
  for (size_t d = 0; d < fold.folded.size(); ++d)
    if (fold.folded[d]) axes.push_back(static_cast<int64_t>(d));
  g.Give(0, SharedByExtremes(g.x(), fold.y, fold.dy, axes));
  return {};
}

std::vector<OpExample> ReductionExamples() {
  return {{.inputs = {F32({4, 6}), Ints({-1})}},
          {.inputs = {F32({3, 4, 5}), Ints({1})}, .attributes = {{"keepdims", 0}}},
          {.inputs = {F32({3, 4, 5}), Ints({0, 2})}, .attributes = {{"keepdims", 0}}},
          {.inputs = {F32({4, 6})}, .attributes = {{"keepdims", 0}}}};
}

}  // namespace metadist
