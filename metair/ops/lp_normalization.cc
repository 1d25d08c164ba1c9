// SPDX-License-Identifier: Apache-2.0
// y = x / (sum |x|^p)^(1/p) along `axis`, p = 1 or 2; lines of zeros are unchanged.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_l2.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferLpNormalization(const OpCall& call) {
  const int64_t p = call.attributes->Int("p", 2);
  if (p != 1 && p != 2) return BadCall("p must be 1 or 2, got {}", p);
  return InferLines(call);
}

Result<void> LpNormalizationReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const int64_t axis = TRY(LineAxis(call));
  const bool squares = call.attributes->Int("p", 2) == 2;
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  ForEachLine(in[0].shape(), axis, [&](const Line& line) {
    const int64_t end = line.first + line.size * line.stride;
    double norm = 0;
    for (int64_t i = line.first; i < end; i += line.stride)
      norm += squares ? x[i] * x[i] : std::fabs(x[i]);
    if (squares) norm = std::sqrt(norm);
    for (int64_t i = line.first; i < end; i += line.stride) y[i] = norm == 0 ? 0 : x[i] / norm;
  });
  return {};
}

std::vector<OpExample> LpNormalizationExamples() {
  return {{.inputs = {F32({3, 4, 5})}},
          {.inputs = {F32({3, 4, 5})}, .attributes = {{"axis", 1}, {"p", 1}}}};
}

Result<Graph> DecomposeLpNormalization(const OpCall& call) {
  const std::vector<int64_t> axes{TRY(LineAxis(call))};
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const ValueId norm = call.attributes->Int("p", 2) == 2
                           ? ComposeNorm(compose, x, axes, /*keep=*/true)
                           : compose.Fold("ReduceL1", x, axes);
  const ValueId none = compose.Add("Equal", {norm, compose.Number(0, x)});
  const ValueId divisor = compose.Add("Where", {none, compose.Number(1, x), norm});
  return compose.Done({compose.Add("Div", {x, divisor})});
}

Result<void> LpNormalizationGradient(GradientCall& g) {
  if (g.attributes().Int("p", 2) != 2) return g.Through(TRY(DecomposeLpNormalization(g.call())));
  const std::vector<int64_t> axes{TRY(LineAxis(g.call()))};
  const Term x = g.x().Wide();
  const Term y = g.y().Wide();
  const Term dy = g.dy().Wide();
  const Term norm = (x * x).Sum(axes).Apply("Sqrt");
  const Term none = norm == 0;
  g.Give(0, (dy - y * (dy * y).Sum(axes)) / Choose(none, 1, norm));
  return {};
}

}  // namespace

OpDef MakeLpNormalization() {
  return {.name = "LpNormalization",
          .since_version = 22,
          .infer = InferLpNormalization,
          .reference = LpNormalizationReference,
          .decompose = DecomposeLpNormalization,
          .gradient = LpNormalizationGradient,
          .work = NormalizedLinesWork,
          .examples = LpNormalizationExamples};
}

}  // namespace metadist::ops
