// SPDX-License-Identifier: Apache-2.0
// Running products along an axis: of the elements before and at (exclusive = 1: before) each place,
// or from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

struct Product {
  static int Initial(auto) { return 1; }
  static double Apply(double product, double x) { return product * x; }
  static int64_t Apply(int64_t product, int64_t x) { return WrapMul(product, x); }
};

}  // namespace

OpDef MakeCumProd() {
  return {.name = "CumProd",
          .since_version = 26,
          .url = "https://onnx.ai/onnx/operators/onnx__CumProd.html",
          .infer = InferCumulative,
          .reference = Cumulative<Product>,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
