// SPDX-License-Identifier: Apache-2.0
// y = exp(x - max(x)) / sum(exp(x - max(x))) along `axis`.
#include "metair/ops/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metair/ops/composer.h"
#include "metair/ops/gradient.h"
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"

namespace metadist {

SoftmaxParts ComposeSoftmax(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes) {
  SoftmaxParts parts;
  parts.highest = b.Fold("ReduceMax", x, axes);
  parts.shifted = b.Add("Sub", {x, parts.highest});
  parts.exponentials = b.Add("Exp", {parts.shifted});
  parts.sum = b.Fold("ReduceSum", parts.exponentials, axes);
  return parts;
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<void> SoftmaxReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const int64_t axis = TRY(LineAxis(call));
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  ForEachLine(in[0].shape(), axis, [&](const Line& line) {
    const int64_t end = line.first + line.size * line.stride;
    double highest = -std::numeric_limits<double>::infinity();
    for (int64_t i = line.first; i < end; i += line.stride) highest = std::max(highest, x[i]);
    double sum = 0;
    for (int64_t i = line.first; i < end; i += line.stride) sum += y[i] = std::exp(x[i] - highest);
    for (int64_t i = line.first; i < end; i += line.stride) y[i] /= sum;
  });
  return {};
}

Result<Graph> DecomposeSoftmax(const OpCall& call) {
  Composer compose(call);
  const SoftmaxParts x = ComposeSoftmax(compose, compose.Operand(0), {TRY(LineAxis(call))});
  return compose.Done({compose.Add("Div", {x.exponentials, x.sum})});
}

Result<void> SoftmaxGradient(GradientCall& g) {
  const int64_t axis = TRY(LineAxis(g.call()));
  const Term y = g.y().Wide();
  const Term dy = g.dy().Wide();
  g.Give(0, y * (dy - (y * dy).Sum({axis})));
  return {};
}

}  // namespace

OpDef MakeSoftmax() {
  return {.name = "Softmax",
          .since_version = 13,
          .infer = InferLines,
          .reference = SoftmaxReference,
          .decompose = DecomposeSoftmax,
          .gradient = SoftmaxGradient,
          .work = NormalizedLinesWork,
          .examples = LinesExamples};
}

}  // namespace metadist::ops
