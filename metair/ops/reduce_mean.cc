// SPDX-License-Identifier: Apache-2.0
// The mean over axes; truncated toward zero for integers.
#include "metair/ops/reduce_mean.h"

#include <numeric>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist {

ValueId ComposeMean(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes, bool keep) {
  double count = 1;
  for (const int64_t axis : axes)
    count *= static_cast<double>(b.shape(x)[static_cast<size_t>(axis)]);
  return b.Add("Div", {b.Fold("ReduceSum", x, axes, keep), b.Number(count, x)});
}

Moments ComposeMoments(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes) {
  Moments out;
  out.mean = ComposeMean(b, x, axes, /*keep=*/true);
  out.distance = b.Add("Sub", {x, out.mean});
  const ValueId squares = b.Add("Mul", {out.distance, out.distance});
  out.variance = ComposeMean(b, squares, axes, /*keep=*/true);
  return out;
}

Result<FoldedAxes> FoldedAxesOf(const OpCall& call) {
  if (ClassOf(call.type(0).element) != ElementClass::kFloat) return BadCall("not floats");
  const Reduction reduction = TRY(ReductionOf(call));
  FoldedAxes out{{}, call.attributes->Int("keepdims", 1) != 0};
  for (size_t d = 0; d < reduction.folded.size(); ++d)
    if (reduction.folded[d]) out.axes.push_back(static_cast<int64_t>(d));
  if (out.axes.empty()) return BadCall("nothing is folded");
  return out;
}

std::vector<int64_t> AxesBetween(int64_t first, int64_t end) {
  std::vector<int64_t> axes(static_cast<size_t>(std::max<int64_t>(end - first, 0)));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

}  // namespace metadist

namespace metadist::ops {
namespace {

struct ReduceMeanSum {
  static int Initial(auto) { return 0; }
  static double Apply(double sum, double x) { return sum + x; }
  static int64_t Apply(int64_t sum, int64_t x) { return WrapAdd(sum, x); }
};

Result<void> ReduceMeanReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const int64_t count = TRY(ReductionOf(call)).count;
  const bool floats = ClassOf(in[0].element()) == ElementClass::kFloat;
  if (!floats && count == 0) return BadCall("the mean of no integers is undefined");
  TRY(NumberReduction<ReduceMeanSum>(call, in, out));
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    T* y = out[0].mutable_data<T>();
    for (int64_t i = 0; i < out[0].size(); ++i) y[i] /= static_cast<T>(count);
  });
  return {};
}

Result<Graph> DecomposeReduceMean(const OpCall& call) {
  const FoldedAxes folded = TRY(FoldedAxesOf(call));
  Composer compose(call);
  return compose.Done({ComposeMean(compose, compose.Operand(0), folded.axes, folded.keep)});
}

Result<void> ReduceMeanGradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  const auto count = static_cast<double>(TRY(ReductionOf(g.call())).count);
  g.Give(0, (fold.dy.Wide() / count).Expanded(g.x().shape()));
  return {};
}

}  // namespace

OpDef MakeReduceMean() {
  return {.name = "ReduceMean",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = ReduceMeanReference,
          .decompose = DecomposeReduceMean,
          .gradient = ReduceMeanGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
