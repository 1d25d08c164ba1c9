// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis: of the elements before and at (exclusive = 1: before) each place, or
// from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

struct Sum {
  static int Initial(auto) { return 0; }
  static double Apply(double sum, double x) { return sum + x; }
  static int64_t Apply(int64_t sum, int64_t x) { return WrapAdd(sum, x); }
};

}  // namespace

OpDef MakeCumSum() {
  return {.name = "CumSum",
          .since_version = 14,
          .url = "https://onnx.ai/onnx/operators/onnx__CumSum.html",
          .infer = InferCumulative,
          .reference = Cumulative<Sum>,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
