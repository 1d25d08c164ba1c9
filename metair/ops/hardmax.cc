// SPDX-License-Identifier: Apache-2.0
// y = 1 at the first of the largest elements along `axis`, 0 elsewhere.
#include <limits>

#include "metair/ops/composer.h"
#include "metair/ops/gradient.h"
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

Result<void> HardmaxReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const int64_t axis = TRY(LineAxis(call));
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  ForEachLine(in[0].shape(), axis, [&](const Line& line) {
    const int64_t end = line.first + line.size * line.stride;
    int64_t best = line.first;
    for (int64_t i = line.first; i < end; i += line.stride)
      if (x[i] > x[best]) best = i;
    y[best] = 1;
  });
  return {};
}

Result<Graph> DecomposeHardmax(const OpCall& call) {
  const int64_t axis = TRY(LineAxis(call));
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  ValueId positions = ComposePositions(compose, 0, call.shape(0)[static_cast<size_t>(axis)]);
  if (axis + 1 < call.rank(0))
    positions = compose.With("Unsqueeze", positions, AxesBetween(1, call.rank(0) - axis));
  const ValueId greatest = compose.Add("Equal", {x, compose.Fold("ReduceMax", x, {axis})});
  const ValueId nowhere = compose.Integer(std::numeric_limits<int64_t>::max());
  const ValueId found = compose.Add("Where", {greatest, positions, nowhere});
  return compose.Done({compose.Add("Equal", {found, compose.Fold("ReduceMin", found, {axis})})});
}

}  // namespace

OpDef MakeHardmax() {
  return {.name = "Hardmax",
          .since_version = 13,
          .infer = InferLines,
          .reference = HardmaxReference,
          .decompose = DecomposeHardmax,
          .gradient = NoGradient,
          .examples = LinesExamples};
}

}  // namespace metadist::ops
