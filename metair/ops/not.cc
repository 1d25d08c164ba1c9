// SPDX-License-Identifier: Apache-2.0
// y = not x.
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferNot(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Bools(0).Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> NotReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  MapUnary<bool, bool>(in[0], out[0], [](bool x) { return !x; });
  return {};
}

std::vector<OpExample> NotExamples() {
  return {{.inputs = {Bool({4, 6})}}, {.inputs = {Bool({2, 3, 4})}}};
}

}  // namespace

OpDef MakeNot() {
  return {.name = "Not",
          .since_version = 1,
          .infer = InferNot,
          .reference = NotReference,
          .examples = NotExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
