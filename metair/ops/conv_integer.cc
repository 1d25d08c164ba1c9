// SPDX-License-Identifier: Apache-2.0
// (x - zero point) correlated with (weight - zero point) in 32-bit integers; the weight may have
// one zero point per filter. Padding has the value of the zero point.
#include "metair/ops/call_check.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kWeight, kZeroX, kZeroWeight, kNoBias };
constexpr ConvolutionInputs kConvIntegerInputs{kX, kWeight, kNoBias};

Result<std::vector<TensorType>> InferConvInteger(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 4)
          .Integers(kX)
          .Integers(kWeight)
          .SameElement(kX, kZeroX)
          .SameElement(kWeight, kZeroWeight)
          .RankAtLeast(kX, 3)
          .Done());
  const Shape shape = TRY(ConvolutionShape(call, kConvIntegerInputs));
  TRY(CheckFilterParameter(call, kZeroX, 1));
  TRY(CheckFilterParameter(call, kZeroWeight, call.shape(kWeight)[0]));
  return std::vector<TensorType>{{ElementType::kI32, shape}};
}

Result<Spelling> SpellConvInteger(const OpCall& call) {
  return SpellConvolution(call, kConvIntegerInputs);
}

Result<void> ConvIntegerReference(const OpCall& call,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  const auto zero = [&](size_t i) { return call.has(i) ? &in[i] : nullptr; };
  Convolve<int64_t>(TRY(ConvolutionWindow(call, kConvIntegerInputs)),
                    call.attributes->Int("group", 1),
                    LessFilterZeroPoint(in[kX], zero(kZeroX)),
                    LessFilterZeroPoint(in[kWeight], zero(kZeroWeight)),
                    nullptr,
                    out[0]);
  return {};
}

Work WorkForConvInteger(const OpCall& call, std::span<const TensorType> outputs) {
  return ConvolutionWork(call, kConvIntegerInputs, outputs);
}

std::vector<OpExample> ConvIntegerExamples() {
  return {{.inputs = {U8({2, 4, 5, 5}), U8({6, 4, 3, 3}), U8({}), U8({})},
           .attributes = {{"pads", List{1, 1, 1, 1}}}},
          {.inputs = {U8({1, 4, 6, 5}), U8({6, 2, 3, 2}), U8({}), U8({6})},
           .attributes = {{"group", 2}}},
          {.inputs = {U8({2, 3, 4, 4}), U8({4, 3, 1, 1})}}};
}

}  // namespace

OpDef MakeConvInteger() {
  return {.name = "ConvInteger",
          .since_version = 10,
          .infer = InferConvInteger,
          .reference = ConvIntegerReference,
          .spell = SpellConvInteger,
          .work = WorkForConvInteger,
          .examples = ConvIntegerExamples};
}

}  // namespace metadist::ops
