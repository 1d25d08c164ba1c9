// SPDX-License-Identifier: Apache-2.0
// The p-norm of each channel: (sum |x|^p)^(1/p) over all dims from the third on, which become 1.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/global_pool.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_l2.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGlobalLpPool(const OpCall& call) {
  const int64_t p = call.attributes->Int("p", 2);
  if (p < 1) return BadCall("p must be at least 1, got {}", p);
  return InferGlobalPool(call);
}

Result<void> GlobalLpPoolReference(const OpCall& call,
                                   std::span<const Tensor> in,
                                   std::span<Tensor> out) {
  const double p = static_cast<double>(call.attributes->Int("p", 2));
  FoldChannels(
      in[0], out[0], 0, [p](double sum, double x) { return sum + std::pow(std::fabs(x), p); });
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) y[i] = std::pow(y[i], 1 / p);
  return {};
}

std::vector<OpExample> GlobalLpPoolExamples() {
  std::vector<OpExample> examples = GlobalPoolExamples();
  examples[1].attributes.set("p", int64_t{1});
  return examples;
}

Result<Graph> DecomposeGlobalLpPool(const OpCall& call) {
  const double p = static_cast<double>(call.attributes->Int("p", 2));
  const std::vector<int64_t> space = AxesBetween(2, call.rank(0));
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  if (p == 2) return compose.Done({ComposeNorm(compose, x, space, /*keep=*/true)});
  const ValueId wide = compose.As(ElementType::kF64, x);
  const ValueId powers = compose.Add("Pow", {compose.Add("Abs", {wide}), compose.Number(p, wide)});
  const ValueId sum = compose.Fold("ReduceSum", powers, space);
  const ValueId root = compose.Add("Pow", {sum, compose.Number(1 / p, wide)});
  return compose.Done({compose.As(compose.type(x).element, root)});
}

Result<void> GlobalLpPoolGradient(GradientCall& g) {
  const double p = static_cast<double>(g.attributes().Int("p", 2));
  const Term x = g.x().Wide();
  const Term y = g.y().Wide();
  const Term share = x.Apply("Abs") / Choose(y == 0, 1, y);
  const Term slope = x.Apply("Sign") * share.Apply("Pow", {share.Number(p - 1)});
  g.Give(0, g.dy().Wide() * Choose(y == 0, 0, slope));
  return {};
}

}  // namespace

OpDef MakeGlobalLpPool() {
  return {.name = "GlobalLpPool",
          .since_version = 22,
          .infer = InferGlobalLpPool,
          .reference = GlobalLpPoolReference,
          .decompose = DecomposeGlobalLpPool,
          .gradient = GlobalLpPoolGradient,
          .work = ReductionWork,
          .examples = GlobalLpPoolExamples};
}

}  // namespace metadist::ops
