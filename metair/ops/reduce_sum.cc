// SPDX-License-Identifier: Apache-2.0
// The sum over axes.
#include "metair/ops/compute_type.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

double Apply(double sum, double x) { return sum + x; }
int64_t Apply(int64_t sum, int64_t x) { return WrapAdd(sum, x); }

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Reduction reduction = TRY(ReductionOf(call));
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    Fold<T>(in[0], reduction.folded, out[0], 0, [](T sum, T x) { return Apply(sum, x); });
  });
  return {};
}

}  // namespace

OpDef MakeReduceSum() {
  return {.name = "ReduceSum",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceSum.html",
          .infer = InferNumberReduction,
          .reference = Reference,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
