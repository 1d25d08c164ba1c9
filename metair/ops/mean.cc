// SPDX-License-Identifier: Apache-2.0
// y = the mean of the inputs, with broadcasting.
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

double MeanAdd(double a, double b) { return a + b; }

Result<std::vector<TensorType>> InferMean(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1, CallCheck::kAnyNumber).Floats(0).Done());
  return InferVariadic(call);
}

Result<void> MeanReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  TRY((NumberVariadic<MeanAdd, WrapAdd>(call, in, out)));
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) y[i] /= static_cast<double>(in.size());
  return {};
}

Work WorkForMean(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(
      call, outputs, static_cast<int64_t>(call.inputs.size()) * NumElements(outputs[0].shape));
}

std::vector<OpExample> MeanExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 6})}},
          {.inputs = {F32({4, 6})}},
          {.inputs = {F32({4, 6}), F32({6}), F32({4, 1})}}};
}

Result<void> MeanGradient(GradientCall& g) {
  const auto count = static_cast<double>(g.call().inputs.size());
  for (size_t i = 0; i < g.call().inputs.size(); ++i) g.Give(i, g.dy() / count);
  return {};
}

}  // namespace

OpDef MakeMean() {
  return {.name = "Mean",
          .since_version = 13,
          .infer = InferMean,
          .reference = MeanReference,
          .gradient = MeanGradient,
          .work = WorkForMean,
          .examples = MeanExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
