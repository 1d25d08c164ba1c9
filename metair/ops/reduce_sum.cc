// SPDX-License-Identifier: Apache-2.0
// The sum over axes.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

struct Sum {
  static int Initial(auto) { return 0; }
  static double Apply(double sum, double x) { return sum + x; }
  static int64_t Apply(int64_t sum, int64_t x) { return WrapAdd(sum, x); }
};

}  // namespace

OpDef MakeReduceSum() {
  return {.name = "ReduceSum",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceSum.html",
          .infer = InferNumberReduction,
          .reference = NumberReduction<Sum>,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
