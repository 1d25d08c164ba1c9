// SPDX-License-Identifier: Apache-2.0
// The mean over axes; of integers truncated toward zero.
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

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t count = TRY(ReductionOf(call)).count;
  const bool floats = ClassOf(in[0].element()) == ElementClass::kFloat;
  if (!floats && count == 0) return BadInput("", "the mean of no integers is undefined");
  TRY(NumberReduction<Sum>(call, in, out));
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    T* y = out[0].mutable_data<T>();
    for (int64_t i = 0; i < out[0].size(); ++i) y[i] /= static_cast<T>(count);
  });
  return {};
}

}  // namespace

OpDef MakeReduceMean() {
  return {.name = "ReduceMean",
          .since_version = 18,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceMean.html",
          .infer = InferNumberReduction,
          .reference = Reference,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
