// SPDX-License-Identifier: Apache-2.0
// The mean of each channel: over all dims from the third on, which become 1.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 2).Done());
  TensorType type = call.type(0);
  std::fill(type.shape.begin() + 2, type.shape.end(), 1);
  return std::vector<TensorType>{type};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  std::vector<bool> folded(in[0].shape().size(), true);
  folded[0] = folded[1] = false;
  Fold<double>(in[0], folded, out[0], 0, [](double sum, double x) { return sum + x; });
  double* y = out[0].mutable_data<double>();
  const int64_t channels = out[0].size();
  for (int64_t i = 0; i < channels; ++i) y[i] /= static_cast<double>(in[0].size() / channels);
  return {};
}

std::vector<OpExample> Examples() {
  using example::F32;
  return {{.inputs = {F32({2, 3, 4, 5})}}, {.inputs = {F32({2, 4, 6})}}};
}

}  // namespace

OpDef MakeGlobalAveragePool() {
  return {.name = "GlobalAveragePool",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html",
          .infer = Infer,
          .reference = Reference,
          .work = ReductionWork,
          .examples = Examples};
}

}  // namespace metadist::ops
