// SPDX-License-Identifier: Apache-2.0
// y = x + bias if x < -lambd, x - bias if x > lambd, else 0; truncated for integers.
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<void> ShrinkReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const double bias = call.attributes->Float("bias", 0);
  const double lambd = call.attributes->Float("lambd", 0.5);
  Tensor y = Tensor::Zeros({ElementType::kF64, out[0].shape()});
  MapUnary<double, double>(in[0].Cast(ElementType::kF64), y, [=](double x) {
    return x < -lambd ? x + bias : x > lambd ? x - bias : 0.0;
  });
  CopyBytes(y.Cast(out[0].element()), out[0]);
  return {};
}

std::vector<OpExample> ShrinkExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"bias", 1.5}, {"lambd", 1.5}}},
          {.inputs = {I64({4, 6})}, .attributes = {{"bias", 1.0}, {"lambd", 2.0}}}};
}

Result<void> ShrinkGradient(GradientCall& g) {
  g.Give(0, Choose(g.x().Apply("Abs") > g.attributes().Float("lambd", 0.5), g.dy(), 0));
  return {};
}

}  // namespace

OpDef MakeShrink() {
  return {.name = "Shrink",
          .since_version = 9,
          .infer = InferNumberUnary,
          .reference = ShrinkReference,
          .gradient = ShrinkGradient,
          .examples = ShrinkExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
