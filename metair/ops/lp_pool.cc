// SPDX-License-Identifier: Apache-2.0
// The p-norm of the elements under each position of a sliding window: (sum |x|^p)^(1/p).
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/pool.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferLpPool(const OpCall& call) {
  const int64_t p = call.attributes->Int("p", 2);
  TRY(CallCheck(call)
          .Inputs(1)
          .Floats(0)
          .RankAtLeast(0, 3)
          .That(p >= 1, "p must be at least 1, got {}", p)
          .Done());
  return std::vector<TensorType>{TRY(PoolType(call))};
}

Result<void> LpPoolReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const double p = static_cast<double>(call.attributes->Int("p", 2));
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  ForEachPosition(TRY(PoolWindow(call)),
                  out[0].size(),
                  [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
                    double sum = 0;
                    for (int64_t at : taps)
                      if (at >= 0) sum += std::pow(std::fabs(x[plane + at]), p);
                    y[i] = std::pow(sum, 1 / p);
                  });
  return {};
}

std::vector<OpExample> LpPoolExamples() {
  std::vector<OpExample> examples = PoolExamples();
  examples[2].attributes.set("p", int64_t{3});
  return examples;
}

Result<void> LpPoolGradient(GradientCall& g) {
  const auto p = static_cast<double>(g.attributes().Int("p", 2));
  const Term x = g.x().Wide();
  const Term y = g.y().Wide();
  const Term dy = g.dy().Wide();
  // dx = sign(x) |x|^(p - 1) times the sum of dy y^(1 - p) over all positions above x.
  if (p == 1) {
    g.Give(0, x.Apply("Sign") * TRY(SpreadOver(g, dy, /*average=*/false)));
    return {};
  }
  const Term share = Choose(y == 0, 0, dy * y.Apply("Pow", {y.Number(1 - p)}));
  const Term power = x.Apply("Sign") * x.Apply("Abs").Apply("Pow", {x.Number(p - 1)});
  g.Give(0, power * TRY(SpreadOver(g, share, /*average=*/false)));
  return {};
}

}  // namespace

OpDef MakeLpPool() {
  return {.name = "LpPool",
          .since_version = 22,
          .infer = InferLpPool,
          .reference = LpPoolReference,
          .spell = SpellPool,
          .gradient = LpPoolGradient,
          .work = PoolWork,
          .examples = LpPoolExamples};
}

}  // namespace metadist::ops
