// SPDX-License-Identifier: Apache-2.0
// The product over axes.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

struct Product {
  static int Initial(auto) { return 1; }
  static double Apply(double product, double x) { return product * x; }
  static int64_t Apply(int64_t product, int64_t x) { return WrapMul(product, x); }
};

}  // namespace

OpDef MakeReduceProd() {
  return {.name = "ReduceProd",
          .since_version = 18,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceProd.html",
          .infer = InferNumberReduction,
          .reference = NumberReduction<Product>,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
