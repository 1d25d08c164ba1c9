// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/elementwise.h"

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"

namespace metadist {
namespace {

Result<std::vector<TensorType>> BroadcastTo(const OpCall& call, ElementType element) {
  Shape shape;
  for (const OpCall::Input& input : call.inputs) shape = TRY(Broadcast(shape, input.type.shape));
  return std::vector<TensorType>{{element, shape}};
}

}  // namespace

Result<std::vector<TensorType>> InferFloatUnary(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<std::vector<TensorType>> InferNumberUnary(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Numbers(0).Done());
  return std::vector<TensorType>{call.type(0)};
}

Result<std::vector<TensorType>> InferNumberBinary(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).SameElement(0, 1).Done());
  return BroadcastTo(call, call.type(0).element);
}

Result<std::vector<TensorType>> InferIntegerBinary(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(0).SameElement(0, 1).Done());
  return BroadcastTo(call, call.type(0).element);
}

Result<std::vector<TensorType>> InferLogical(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Bools(0).Bools(1).Done());
  return BroadcastTo(call, ElementType::kBool);
}

Result<std::vector<TensorType>> InferOrdering(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).SameElement(0, 1).Done());
  return BroadcastTo(call, ElementType::kBool);
}

Result<std::vector<TensorType>> InferEquality(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).SameElement(0, 1).Done());
  return BroadcastTo(call, ElementType::kBool);
}

Result<std::vector<TensorType>> InferVariadic(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, CallCheck::kAnyNumber).Numbers(0);
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (!call.has(i)) check.That(false, "input {} is missing", i);
    check.SameElement(0, i);
  }
  TRY(check.Done());
  return BroadcastTo(call, call.type(0).element);
}

Result<void> ExtremeGradient(GradientCall& g) {
  const size_t inputs = g.call().inputs.size();
  std::vector<Term> hits;
  for (size_t i = 0; i < inputs; ++i) hits.push_back((g.x(i) == g.y()).As(g.y().element()));
  Term share = g.dy();
  if (inputs > 1) {
    Term count = hits[0];
    for (size_t i = 1; i < inputs; ++i) count = count + hits[i];
    share = share / count;
  }
  for (size_t i = 0; i < inputs; ++i) g.Give(i, share * hits[i]);
  return {};
}

std::vector<InputDomain> PositiveDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kPositive}};
}

std::vector<OpExample> UnaryExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {F32({2, 3, 4})}}};
}

std::vector<OpExample> BinaryExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 6})}},
          {.inputs = {F32({4, 6}), F32({6})}},
          {.inputs = {F32({4, 1, 6}), F32({3, 1})}},
          {.inputs = {F32({}), F32({4, 6})}},
          {.inputs = {I64({4, 6}), I64({})}}};
}

std::vector<OpExample> IntegerExamples() {
  return {{.inputs = {I64({4, 6}), I64({4, 6})}}, {.inputs = {U8({4, 1, 6}), U8({3, 1})}}};
}

std::vector<OpExample> LogicalExamples() {
  return {{.inputs = {Bool({4, 6}), Bool({4, 6})}}, {.inputs = {Bool({4, 1, 6}), Bool({3, 1})}}};
}

std::vector<OpExample> VariadicExamples() {
  std::vector<OpExample> examples = BinaryExamples();
  examples.push_back({.inputs = {F32({4, 6})}});
  examples.push_back({.inputs = {F32({4, 6}), F32({6}), F32({4, 1})}});
  return examples;
}

}  // namespace metadist
