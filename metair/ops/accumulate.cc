// SPDX-License-Identifier: Apache-2.0
// sum' = sum + x, element by element, in the type of the sum, which may be wider than that of x:
// how gradients are summed over micro-batches.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferAccumulate(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(2, 2).Floats(0).Floats(1);
  TRY(check.Done());
  check.That(call.shape(0) == call.shape(1),
             "inputs must have one shape, got {} and {}",
             ShapeText(call.shape(0)),
             ShapeText(call.shape(1)));
  TRY(check.Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> AccumulateReference(const OpCall& /*call*/,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const double* const sum = in[0].data<double>();
  const double* const x = in[1].data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) out[0].mutable_data<double>()[i] = sum[i] + x[i];
  return {};
}

std::vector<OpExample> AccumulateExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 6})}},
          {.inputs = {F32({4, 6}), Of(ElementType::kF16, {4, 6})}}};
}

}  // namespace

OpDef MakeAccumulate() {
  return {.domain = "metadist",
          .name = "Accumulate",
          .infer = InferAccumulate,
          .reference = AccumulateReference,
          .examples = AccumulateExamples,
          .elementwise = true,
          .overwrites = 0b1};
}

}  // namespace metadist::ops
