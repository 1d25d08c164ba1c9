// SPDX-License-Identifier: Apache-2.0
// y = whether x is NaN.
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferIsNaN(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).Done());
  return std::vector<TensorType>{{ElementType::kBool, call.shape(0)}};
}

Result<void> IsNaNReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  MapUnary<double, bool>(in[0], out[0], [](double x) { return std::isnan(x); });
  return {};
}

}  // namespace

OpDef MakeIsNaN() {
  return {.name = "IsNaN",
          .since_version = 20,
          .infer = InferIsNaN,
          .reference = IsNaNReference,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
