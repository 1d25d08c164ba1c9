// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) scale + bias, mean and variance over the space (dims 2
// on) of each instance (dim 0) and channel (dim 1).
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/standardize.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  CallCheck check(call);
  TRY(CheckChannels(call, check));
  TRY(check.Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  StandardizeGroups(call, in, in[0].dim(1), out[0]);
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 7 * NumElements(outputs[0].shape));
}

std::vector<OpExample> Examples() {
  using example::F32;
  return {{.inputs = {F32({3, 4, 5, 2}), F32({4}), F32({4})}},
          {.inputs = {F32({2, 3, 7}), F32({3}), F32({3})},
           .attributes = example::With({{"epsilon", 0.25}})}};
}

}  // namespace

OpDef MakeInstanceNormalization() {
  return {.name = "InstanceNormalization",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
