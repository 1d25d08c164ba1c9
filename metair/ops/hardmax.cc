// SPDX-License-Identifier: Apache-2.0
// y = 1 at the first of the largest elements (or NaN) along `axis`, 0 elsewhere.
#include <limits>

#include "metair/ops/arg_max.h"
#include "metair/ops/composer.h"
#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"

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
      if (IsGreater(x[i], x[best])) best = i;
    y[best] = 1;
  });
  return {};
}

Result<Graph> DecomposeHardmax(const OpCall& call) {
  const int64_t axis = TRY(LineAxis(call));
  Composer compose(call);
  const ValueId found =
      ComposeExtremePlaces(compose, call, "ReduceMax", axis, std::numeric_limits<int64_t>::max());
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
