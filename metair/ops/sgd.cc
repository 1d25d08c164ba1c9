// SPDX-License-Identifier: Apache-2.0
// One step of gradient descent, element by element: x' = x - lr (g + decay x). With a momentum m as
// input 3: m' = momentum m + g + decay x, x' = x - lr m'. Inputs: x, g, lr, m; outputs: x', m'.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kGradient, kRate, kMomentum };

Result<std::vector<TensorType>> InferSgd(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(3, 4).Rank(kRate, 0, 0);
  for (size_t i = 0; i < 4; ++i) check.Floats(i);
  TRY(check.Done());
  for (const size_t i : {kGradient, kMomentum})
    check.That(!call.has(i) || call.shape(i) == call.shape(kX),
               "input {} must be {}",
               i,
               ShapeText(call.shape(kX)));
  const int wanted = call.has(kMomentum) ? 2 : 1;
  check.That(call.num_outputs == wanted, "expected {} outputs, got {}", wanted, call.num_outputs);
  TRY(check.Done());
  std::vector<TensorType> types{call.type(kX)};
  if (call.has(kMomentum)) types.push_back(call.type(kMomentum));
  return types;
}

Result<void> SgdReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double momentum = call.attributes->Float("momentum", 0);
  const double decay = call.attributes->Float("decay", 0);
  const double rate = in[kRate].data<double>()[0];
  const auto at = [&](size_t input, int64_t i) { return in[input].data<double>()[i]; };
  for (int64_t i = 0; i < out[0].size(); ++i) {
    double move = at(kGradient, i) + decay * at(kX, i);
    if (call.has(kMomentum))
      out[1].mutable_data<double>()[i] = move = momentum * at(kMomentum, i) + move;
    out[0].mutable_data<double>()[i] = at(kX, i) - rate * move;
  }
  return {};
}

Work WorkForSgd(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 4 * NumElements(outputs[0].shape));
}

std::vector<OpExample> SgdExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 6}), F32({})}, .attributes = {{"decay", 0.25}}},
          {.inputs = {F32({4, 6}), F32({4, 6}), F32({}), F32({4, 6})},
           .attributes = {{"momentum", 0.5}},
           .num_outputs = 2}};
}

}  // namespace

OpDef MakeSgd() {
  return {.domain = "metadist",
          .name = "Sgd",
          .infer = InferSgd,
          .reference = SgdReference,
          .work = WorkForSgd,
          .examples = SgdExamples,
          .overwrites = 0b1011};
}

}  // namespace metadist::ops
