// SPDX-License-Identifier: Apache-2.0
// A depthwise causal convolution: each position sees only itself and earlier positions of x,
// preceded by a carried state or zeros. Output 1 is the state to carry on: the last positions.
#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kWeight, kBias, kPast };

Result<std::vector<TensorType>> InferCausalConvWithState(const OpCall& call) {
  const std::string activation = call.attributes->String("activation", "none");
  CallCheck check(call);
  check.Inputs(2, 4).Floats(kX).Rank(kX, 3, 3).Rank(kWeight, 3, 3);
  for (size_t i : {kWeight, kBias, kPast}) check.SameElement(kX, i);
  TRY(check
          .That(activation == "none" || activation == "silu" || activation == "swish",
                "activation must be none, silu or swish, got {}",
                activation)
          .Done());
  const Shape& x = call.shape(kX);
  const int64_t kernel = call.shape(kWeight)[2];
  const Shape weight{x[1], 1, kernel};
  const Shape state{x[0], x[1], std::max<int64_t>(kernel - 1, 0)};
  TRY(check
          .That(kernel >= 1 && call.shape(kWeight) == weight,
                "the weight must be [{},1,...], got {}",
                x[1],
                ShapeText(call.shape(kWeight)))
          .That(!call.has(kBias) || call.shape(kBias) == Shape{x[1]},
                "the bias must have {} elements",
                x[1])
          .That(!call.has(kPast) || call.shape(kPast) == state,
                "the state must be {}",
                ShapeText(state))
          .Done());
  std::vector<TensorType> types{call.type(kX), {call.type(kX).element, state}};
  if (call.num_outputs < 2) types.pop_back();
  return types;
}

Result<void> CausalConvWithStateReference(const OpCall& call,
                                          std::span<const Tensor> in,
                                          std::span<Tensor> out) {
  const bool swish = call.attributes->String("activation", "none") != "none";
  const int64_t channels = in[kX].dim(1);
  const int64_t length = in[kX].dim(2);
  const int64_t kernel = in[kWeight].dim(2);
  const int64_t state = kernel - 1;
  for (int64_t line = 0; line < in[kX].dim(0) * channels; ++line) {
    const double* x = in[kX].data<double>() + line * length;
    const double* past = call.has(kPast) ? in[kPast].data<double>() + line * state : nullptr;
    const auto seen = [&](int64_t at) {  // at: position from the start of the state
      return at >= state ? x[at - state] : past != nullptr ? past[at] : 0;
    };
    const double* weight = in[kWeight].data<double>() + line % channels * kernel;
    for (int64_t t = 0; t < length; ++t) {
      double sum = call.has(kBias) ? in[kBias].data<double>()[line % channels] : 0;
      for (int64_t k = 0; k < kernel; ++k) sum += weight[k] * seen(t + k);
      out[0].mutable_data<double>()[line * length + t] = swish ? sum / (1 + std::exp(-sum)) : sum;
    }
    for (int64_t i = 0; out.size() > 1 && i < state; ++i)
      out[1].mutable_data<double>()[line * state + i] = seen(length + i);
  }
  return {};
}

Work WorkForCausalConvWithState(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 2 * call.shape(kWeight)[2] * NumElements(outputs[0].shape));
}

std::vector<OpExample> CausalConvWithStateExamples() {
  return {{.inputs = {F32({2, 4, 6}), F32({4, 1, 3}), F32({4}), F32({2, 4, 2})},
           .attributes = {{"activation", "silu"}},
           .num_outputs = 2},
          {.inputs = {F32({2, 4, 6}), F32({4, 1, 3})}, .num_outputs = 2}};
}

// The same with a convolution.
Result<Graph> ComposeCausalConv(const OpCall& call) {
  const int64_t channels = call.shape(kX)[1];
  const int64_t length = call.shape(kX)[2];
  const int64_t state = call.shape(kWeight)[2] - 1;
  Composer compose(call);
  const Term x(compose, compose.Operand(kX));
  const Term all = call.has(kPast)
                       ? Term(compose, compose.Operand(kPast)).Apply("Concat", {x}, {{"axis", 2}})
                       : x.Padded({0, 0, state}, {0, 0, 0});
  std::vector<Term> others{Term(compose, compose.Operand(kWeight))};
  if (call.has(kBias)) others.emplace_back(compose, compose.Operand(kBias));
  Term y = all.Apply("Conv", others, {{"group", channels}});
  if (call.attributes->String("activation", "none") != "none") y = y.Apply("Swish");
  return compose.Done({y.value(), all.Sliced(2, length, length + state).value()});
}

Result<void> CausalConvWithStateGradient(GradientCall& g) {
  return g.Through(TRY(ComposeCausalConv(g.call())));
}

}  // namespace

OpDef MakeCausalConvWithState() {
  return {.name = "CausalConvWithState",
          .since_version = 27,
          .infer = InferCausalConvWithState,
          .reference = CausalConvWithStateReference,
          .gradient = CausalConvWithStateGradient,
          .work = WorkForCausalConvWithState,
          .examples = CausalConvWithStateExamples};
}

}  // namespace metadist::ops
