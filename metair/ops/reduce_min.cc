// SPDX-License-Identifier: Apache-2.0
// The least element over axes; NaN wins; of bools: and.
#include <cmath>
#include <limits>

#include "metair/ops/compute_type.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

double Apply(double y, double x) { return std::isnan(y) || y < x ? y : x; }
int64_t Apply(int64_t y, int64_t x) { return y < x ? y : x; }
bool Apply(bool y, bool x) { return y && x; }

// What folding no element gives.
template <typename T>
constexpr T kNeutral = std::numeric_limits<T>::max();
template <>
constexpr double kNeutral<double> = std::numeric_limits<double>::infinity();

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Reduction reduction = TRY(ReductionOf(call));
  VisitComputeType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    Fold<T>(in[0], reduction.folded, out[0], kNeutral<T>, [](T y, T x) { return Apply(y, x); });
  });
  return {};
}

}  // namespace

OpDef MakeReduceMin() {
  return {.name = "ReduceMin",
          .since_version = 20,
          .url = "https://onnx.ai/onnx/operators/onnx__ReduceMin.html",
          .infer = InferReduction,
          .reference = Reference,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
