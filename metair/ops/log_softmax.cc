// SPDX-License-Identifier: Apache-2.0
// y = x - max(x) - ln(sum(exp(x - max(x)))) along `axis`.
#include "metair/ops/log_softmax.h"

#include "metair/ops/composer.h"
#include "metair/ops/gradient.h"
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"
#include "metair/ops/softmax.h"

namespace metadist {

ValueId ComposeLogSoftmax(GraphBuilder& b, ValueId x, int64_t axis) {
  const SoftmaxParts parts = ComposeSoftmax(b, x, {axis});
  return b.Add("Sub", {parts.shifted, b.Add("Log", {parts.sum})});
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<void> LogSoftmaxReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  LogSoftmaxLines(in[0], TRY(LineAxis(call)), out[0]);
  return {};
}

Result<Graph> DecomposeLogSoftmax(const OpCall& call) {
  Composer compose(call);
  return compose.Done({ComposeLogSoftmax(compose, compose.Operand(0), TRY(LineAxis(call)))});
}

Result<void> LogSoftmaxGradient(GradientCall& g) {
  const int64_t axis = TRY(LineAxis(g.call()));
  const Term dy = g.dy().Wide();
  g.Give(0, dy - g.y().Wide().Apply("Exp") * dy.Sum({axis}));
  return {};
}

}  // namespace

OpDef MakeLogSoftmax() {
  return {.name = "LogSoftmax",
          .since_version = 13,
          .infer = InferLines,
          .reference = LogSoftmaxReference,
          .decompose = DecomposeLogSoftmax,
          .gradient = LogSoftmaxGradient,
          .work = NormalizedLinesWork,
          .examples = LinesExamples};
}

}  // namespace metadist::ops
