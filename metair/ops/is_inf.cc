// SPDX-License-Identifier: Apache-2.0
// y = whether x is positive infinity (if detect_positive = 1) or negative infinity (if
// detect_negative = 1).
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferIsInf(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).Done());
  return std::vector<TensorType>{{ElementType::kBool, call.shape(0)}};
}

Result<void> IsInfReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const bool up = call.attributes->Int("detect_positive", 1) != 0;
  const bool down = call.attributes->Int("detect_negative", 1) != 0;
  MapUnary<double, bool>(
      in[0], out[0], [=](double x) { return std::isinf(x) && (x > 0 ? up : down); });
  return {};
}

std::vector<OpExample> IsInfExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"detect_negative", 0}}}};
}

}  // namespace

OpDef MakeIsInf() {
  return {.name = "IsInf",
          .since_version = 20,
          .infer = InferIsInf,
          .reference = IsInfReference,
          .examples = IsInfExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
