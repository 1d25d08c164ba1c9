// SPDX-License-Identifier: Apache-2.0
// The product over axes.
#include "metair/ops/compute_type.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

double Apply(double product, double x) { return product * x; }
int64_t Apply(int64_t product, int64_t x) { return WrapMul(product, x); }

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Reduction reduction = TRY(ReductionOf(call));
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    Fold<T>(in[0], reduction.folded, out[0], 1, [](T product, T x) { return Apply(product, x); });
  });
  return {};
}

}  // namespace

OpDef MakeReduceProd() {
  return {.name = "ReduceProd",
          .since_version = 18,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceProd.html",
          .infer = InferNumberReduction,
          .reference = Reference,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
