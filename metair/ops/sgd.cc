// SPDX-License-Identifier: Apache-2.0
// One step of gradient descent, element by element: x' = x - lr (g + decay x). With a momentum m as
// input 3: m' = momentum m + g + decay x, x' = x - lr m'. Inputs: x, g, lr, m; outputs: x', m'.
// With the number of the step and a master as inputs 4 and 5, a wider copy of x, x' is computed
// from it and is the last output as well. In step 1 the master is x itself, whatever the input
// holds. With a number as input 6, g is multiplied by it; if it is 0, nothing is updated, and input
// 4 counts the steps before.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kGradient, kRate, kMomentum, kStep, kMaster, kScale };

Result<std::vector<TensorType>> InferSgd(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(3, 7).Rank(kRate, 0, 0);
  for (const size_t i : {kStep, kScale})
    if (call.has(i)) check.Rank(i, 0, 0);
  for (size_t i = 0; i < 7; ++i) check.Floats(i);
  check.That(call.has(kStep) == call.has(kMaster), "inputs 4 and 5 must both be given, or none");
  TRY(check.Done());
  for (const size_t i : {kGradient, kMomentum, kMaster})
    check.That(!call.has(i) || call.shape(i) == call.shape(kX),
               "input {} must be {}",
               i,
               ShapeText(call.shape(kX)));
  const int wanted = 1 + (call.has(kMomentum) ? 1 : 0) + (call.has(kMaster) ? 1 : 0);
  check.That(call.num_outputs == wanted, "expected {} outputs, got {}", wanted, call.num_outputs);
  TRY(check.Done());
  std::vector<TensorType> types{call.type(kX)};
  for (const size_t i : {kMomentum, kMaster})
    if (call.has(i)) types.push_back(call.type(i));
  return types;
}

Result<void> SgdReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double momentum = call.attributes->Float("momentum", 0);
  const double decay = call.attributes->Float("decay", 0);
  const double rate = in[kRate].data<double>()[0];
  const bool has_master = call.has(kMaster);
  const double scale = call.has(kScale) ? in[kScale].data<double>()[0] : 1;
  const bool later = has_master && in[kStep].data<double>()[0] > (scale == 0 ? 0 : 1);
  const size_t from = later ? kMaster : kX;
  const auto at = [&](size_t input, int64_t i) { return in[input].data<double>()[i]; };
  for (int64_t i = 0; i < out[0].size(); ++i) {
    double move = scale == 0 ? 0 : scale * at(kGradient, i) + decay * at(from, i);
    if (call.has(kMomentum)) {
      if (scale != 0) move += momentum * at(kMomentum, i);
      out[1].mutable_data<double>()[i] = scale == 0 ? at(kMomentum, i) : move;
    }
    out[0].mutable_data<double>()[i] = at(from, i) - rate * move;
    if (has_master) out.back().mutable_data<double>()[i] = out[0].data<double>()[i];
  }
  return {};
}

Work WorkForSgd(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 4 * NumElements(outputs[0].shape));
}

std::vector<InputDomain> SgdDomain(const OpCall& call) {
  std::vector<InputDomain> out(call.inputs.size());
  if (call.has(kStep)) out[kStep] = {.kind = InputDomain::Kind::kRange, .low = 1, .high = 100};
  return out;
}

std::vector<OpExample> SgdExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 6}), F32({})}, .attributes = {{"decay", 0.25}}},
          {.inputs = {F32({4, 6}), F32({4, 6}), F32({}), F32({4, 6})},
           .attributes = {{"momentum", 0.5}},
           .num_outputs = 2},
          {.inputs = {F32({4, 6}), F32({4, 6}), F32({}), F32({4, 6}), F32({}), F32({4, 6})},
           .attributes = {{"momentum", 0.5}},
           .num_outputs = 3},
          {.inputs = {F32({4, 6}), F32({4, 6}), F32({}), Absent(), Absent(), Absent(), F32({})}}};
}

}  // namespace

OpDef MakeSgd() {
  return {.domain = "metadist",
          .name = "Sgd",
          .infer = InferSgd,
          .reference = SgdReference,
          .work = WorkForSgd,
          .domain_of = SgdDomain,
          .examples = SgdExamples,
          .overwrites = 0b101011};
}

}  // namespace metadist::ops
