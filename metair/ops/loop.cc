// SPDX-License-Identifier: Apache-2.0
// Runs a body repeatedly, until a count is reached or its condition is false. Results: the last
// states, and the slices it produced, stacked. States keep their types; stacks need a number of
// iterations that is known before running.
#include <limits>
#include <optional>

#include "metair/ops/body.h"
#include "metair/ops/call_check.h"
#include "metair/ops/ops.h"

// inputs:  count (or none), condition (or none), state...
// body:    (iteration, condition, state...) -> (condition, state..., slice...)
// outputs: state..., stacked slices...
namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> LoopBodyInputs(const OpCall& call, size_t region) {
  std::vector<TensorType> types = {{ElementType::kI64, {}}, {ElementType::kBool, {}}};
  for (const TensorType& type : TRY(PresentTypes(call, 2))) types.push_back(type);
  return types;
}

// The number of iterations, if it is known before running.
std::optional<int64_t> Rounds(const OpCall& call) {
  if (call.has(1)) {
    const Tensor* condition = call.inputs[1].constant;
    if (condition == nullptr) return std::nullopt;
    if (condition->ToInts()[0] == 0) return 0;
  }
  if (!call.has(0) || call.inputs[0].constant == nullptr) return std::nullopt;
  if (!PassesOn(*call.regions->front().graph, 0, 1)) return std::nullopt;
  return std::max<int64_t>(0, call.inputs[0].constant->ToInts()[0]);
}

Result<std::vector<TensorType>> InferLoop(const OpCall& call) {
  if (call.regions == nullptr || call.regions->size() != 1)
    return BadCall("attribute body is missing");
  if (call.num_own_inputs() < 2) return BadCall("expected a count and a condition");
  for (size_t i = 0; i < 2; ++i)
    if (call.has(i) && NumElements(call.shape(i)) != 1)
      return BadCall("input {} must have one element", i);
  const std::vector<TensorType> state = TRY(PresentTypes(call, 2));
  std::vector<TensorType> types = BodyOutputs(call, 0);
  if (types.size() < 1 + state.size())
    return BadCall(
        "the body must have at least {} outputs, got {}", 1 + state.size(), types.size());
  types.erase(types.begin());
  std::vector<Error> problems;
  for (size_t i = 0; i < state.size(); ++i)
    if (types[i] != state[i])
      problems.push_back(
          BadCall("state {} must keep its type: it is {} before the body and {} after",
                  i,
                  TypeText(state[i]),
                  TypeText(types[i])));
  if (!problems.empty()) return Join(std::move(problems));
  const int64_t rounds = Rounds(call).value_or(kRunTimeSize);
  for (size_t i = state.size(); i < types.size(); ++i)
    types[i].shape.insert(types[i].shape.begin(), rounds);
  return types;
}

Result<void> LoopReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const size_t states = call.num_own_inputs() - 2;
  const int64_t count =
      call.has(0) ? in[0].data<int64_t>()[0] : std::numeric_limits<int64_t>::max();
  bool go_on = !call.has(1) || in[1].data<bool>()[0];
  std::vector<Tensor> state(in.begin() + 2, in.begin() + 2 + static_cast<ptrdiff_t>(states));
  std::vector<std::vector<Tensor>> slices(out.size() - states);
  for (int64_t round = 0; go_on && round < count; ++round) {
    std::vector<Tensor> own = {Tensor::Scalar<int64_t>(round), Tensor::Scalar<bool>(true)};
    own.insert(own.end(), state.begin(), state.end());
    const std::vector<Tensor> results = TRY(RunBody(call, 0, own, in));
    go_on = results[0].data<bool>()[0];
    for (size_t i = 0; i < states; ++i) state[i] = results[1 + i];
    for (size_t i = 0; i < slices.size(); ++i) slices[i].push_back(results[1 + states + i]);
  }
  for (size_t i = 0; i < states; ++i) out[i] = state[i];
  for (size_t i = 0; i < slices.size(); ++i)
    out[states + i] = Stack(slices[i], 0, out[states + i].type());
  return {};
}

}  // namespace

OpDef MakeLoop() {
  return {.name = "Loop",
          .since_version = 25,
          .infer = InferLoop,
          .reference = LoopReference,
          .body_inputs = LoopBodyInputs,
          .examples = NoExamples};
}

}  // namespace metadist::ops
