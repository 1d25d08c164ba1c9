// SPDX-License-Identifier: Apache-2.0
// ln(sum of x) over axes; of integers truncated.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

double Apply(double sum, double x) { return sum + x; }
double Finish(double sum) { return std::log(sum); }

}  // namespace

OpDef MakeReduceLogSum() {
  return {.name = "ReduceLogSum",
          .since_version = 18,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html",
          .infer = InferNumberReduction,
          .reference = RealReduction<Apply, Finish>,
          .work = ReductionWork,
          .domain_of = PositiveDomain,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
