// SPDX-License-Identifier: Apache-2.0
// y = 1 at the first of the greatest elements along `axis`, 0 elsewhere.
#include "metair/ops/lines.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t axis = TRY(LineAxis(call));
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  ForEachLine(in[0].shape(), axis, [&](const Line& line) {
    const int64_t end = line.first + line.size * line.stride;
    int64_t best = line.first;
    for (int64_t i = line.first; i < end; i += line.stride)
      if (x[i] > x[best]) best = i;
    y[best] = 1;
  });
  return {};
}

}  // namespace

OpDef MakeHardmax() {
  return {.name = "Hardmax",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__Hardmax.html",
          .infer = InferLines,
          .reference = Reference,
          .examples = LinesExamples};
}

}  // namespace metadist::ops
