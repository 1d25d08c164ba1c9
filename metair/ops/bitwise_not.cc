// SPDX-License-Identifier: Apache-2.0
// y = the bitwise complement of x.
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferBitwiseNot(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Integers(0).Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> BitwiseNotReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  MapUnary<int64_t, int64_t>(in[0], out[0], [](int64_t x) { return ~x; });
  return {};
}

std::vector<OpExample> BitwiseNotExamples() {
  return {{.inputs = {I64({4, 6})}}, {.inputs = {U8({4, 6})}}};
}

}  // namespace

OpDef MakeBitwiseNot() {
  return {.name = "BitwiseNot",
          .since_version = 18,
          .infer = InferBitwiseNot,
          .reference = BitwiseNotReference,
          .examples = BitwiseNotExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
