// SPDX-License-Identifier: Apache-2.0
// y = x: dropout outside of training; output 1 is the mask of what is kept, which is all.
#include <fmt/format.h>

#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, 3).Floats(0).Floats(1).Rank(1, 0, 0).Bools(2).Rank(2, 0, 0);
  check.That(call.num_outputs <= 2,
             fmt::format("expected 1 to 2 outputs, got {}", call.num_outputs));
  if (call.has(2)) {
    const Tensor* training = call.inputs[2].constant;
    check.That(training != nullptr && training->has_data(),
               "training_mode must be known at compile time");
    if (training != nullptr && training->has_data() && training->size() == 1)
      check.That(training->ToInts()[0] == 0, "dropout in training mode draws random numbers");
  }
  TRY(check.Done());
  std::vector<TensorType> types{call.type(0), {ElementType::kBool, call.shape(0)}};
  if (call.num_outputs < 2) types.pop_back();
  return types;
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  CopyBytes(in[0], out[0]);
  if (out.size() > 1) std::fill_n(out[1].mutable_data<bool>(), out[1].size(), true);
  return {};
}

std::vector<OpExample> Examples() {
  using example::Absent;
  using example::F32;
  const OpExample::Input off{.type = {ElementType::kBool, {}}, .constant = {0}};
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4}), F32({}), off}, .num_outputs = 2},
          {.inputs = {F32({4, 6}), Absent(), off}}};
}

}  // namespace

OpDef MakeDropout() {
  return {.name = "Dropout",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__Dropout.html",
          .infer = Infer,
          .reference = Reference,
          .work = NoWork,
          .examples = Examples,
          .view = true};
}

}  // namespace metadist::ops
