// SPDX-License-Identifier: Apache-2.0
// y = x - max(x) - ln(sum(exp(x - max(x)))) along `axis`.
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  LogSoftmaxLines(in[0], TRY(LineAxis(call)), out[0]);
  return {};
}

}  // namespace

OpDef MakeLogSoftmax() {
  return {.name = "LogSoftmax",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__LogSoftmax.html",
          .infer = InferLines,
          .reference = Reference,
          .work = NormalizedLinesWork,
          .examples = LinesExamples};
}

}  // namespace metadist::ops
