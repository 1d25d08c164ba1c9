// SPDX-License-Identifier: Apache-2.0
// The square root of the sum of x^2 over axes; of integers truncated.
#include <cmath>

#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

double Apply(double sum, double x) { return sum + x * x; }
double Finish(double sum) { return std::sqrt(sum); }

}  // namespace

OpDef MakeReduceL2() {
  return {.name = "ReduceL2",
          .since_version = 18,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceL2.html",
          .infer = InferNumberReduction,
          .reference = RealReduction<Apply, Finish>,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
