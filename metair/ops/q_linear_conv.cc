// SPDX-License-Identifier: Apache-2.0
// A convolution of quantised x and weight with quantised y, each standing for (integer - zero
// point) scale; the weight may have one scale and zero point per filter. The bias has the scale of
// x times that of the weight.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

enum Input : size_t {
  kX,
  kScaleX,
  kZeroX,
  kWeight,
  kScaleWeight,
  kZeroWeight,
  kScaleY,
  kZeroY,
  kBias
};
constexpr ConvolutionInputs kQLinearConvInputs{kX, kWeight, kBias};

Result<std::vector<TensorType>> InferQLinearConv(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(8, 9);
  for (size_t i : {kX, kWeight, kZeroY, kBias}) check.Integers(i);
  for (size_t i : {kScaleX, kScaleWeight, kScaleY}) check.Floats(i);
  TRY(check.SameElement(kX, kZeroX).SameElement(kWeight, kZeroWeight).RankAtLeast(kX, 3).Done());
  const ElementType element = call.type(kZeroY).element;
  TRY(check.That(IsByte(element), "the output must hold 8-bit integers").Done());
  const Shape shape = TRY(ConvolutionShape(call, kQLinearConvInputs));
  for (size_t i : {kScaleX, kZeroX, kScaleY, kZeroY}) TRY(CheckFilterParameter(call, i, 1));
  for (size_t i : {kScaleWeight, kZeroWeight})
    TRY(CheckFilterParameter(call, i, call.shape(kWeight)[0]));
  return std::vector<TensorType>{{element, shape}};
}

Result<Spelling> SpellQLinearConv(const OpCall& call) {
  return SpellConvolution(call, kQLinearConvInputs);
}

Result<void> QLinearConvReference(const OpCall& call,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  const ElementType element = call.type(kZeroY).element;
  Tensor sums = Tensor::Zeros({ElementType::kI64, out[0].shape()});
  Convolve<int64_t>(TRY(ConvolutionWindow(call, kQLinearConvInputs)),
                    call.attributes->Int("group", 1),
                    LessFilterZeroPoint(in[kX], &in[kZeroX]),
                    LessFilterZeroPoint(in[kWeight], &in[kZeroWeight]),
                    call.has(kBias) ? &in[kBias] : nullptr,
                    sums);
  const int64_t filters = out[0].dim(1);
  const int64_t positions =
      filters == 0 ? 0 : out[0].size() / std::max<int64_t>(out[0].dim(0), 1) / filters;
  const double* weight = in[kScaleWeight].data<double>();
  for (int64_t i = 0; i < sums.size(); ++i) {
    const int64_t filter = in[kScaleWeight].size() == 1 ? 0 : i / positions % filters;
    const double scale = *in[kScaleX].data<double>() * weight[filter] / *in[kScaleY].data<double>();
    out[0].mutable_data<int64_t>()[i] = Quantize(
        static_cast<double>(sums.data<int64_t>()[i]) * scale, *in[kZeroY].data<int64_t>(), element);
  }
  return {};
}

// The integer sums are separate nodes, so they can be partial; they are requantised afterwards.
Result<Graph> DecomposeQLinearConv(const OpCall& call) {
  Composer compose(call);
  const std::vector<int64_t> spatial = AxesBetween(1, call.rank(kX) - 1);
  // One for all filters, or one for each, shaped to broadcast along dim 1 of the output.
  const auto spread = [&](ValueId parameter) {
    return compose.shape(parameter).empty() ? parameter
                                            : compose.With("Unsqueeze", parameter, spatial);
  };
  ValueId sums = compose.Add("ConvInteger",
                             {compose.Given(kX),
                              compose.Given(kWeight),
                              compose.Given(kZeroX),
                              compose.Given(kZeroWeight)},
                             *call.attributes);
  if (call.has(kBias))
    sums = compose.Add("Add", {sums, spread(compose.As(ElementType::kI32, compose.Given(kBias)))});
  const auto scale = [&](size_t input) {
    return compose.As(ElementType::kF64, compose.Given(input));
  };
  const ValueId factor = compose.Add(
      "Div", {compose.Add("Mul", {scale(kScaleX), scale(kScaleWeight)}), scale(kScaleY)});
  const ValueId y = compose.Add("Mul", {compose.As(ElementType::kF64, sums), spread(factor)});
  return compose.Done({ComposeQuantize(compose, y, spread(compose.Given(kZeroY)))});
}

Work WorkForQLinearConv(const OpCall& call, std::span<const TensorType> outputs) {
  return ConvolutionWork(call, kQLinearConvInputs, outputs);
}

std::vector<InputDomain> QLinearConvDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  for (size_t i : {kScaleX, kScaleWeight, kScaleY})
    if (i < domains.size()) domains[i].kind = InputDomain::Kind::kPositive;
  return domains;
}

std::vector<OpExample> QLinearConvExamples() {
  const OpExample::Input bias{{ElementType::kI32, {6}}};
  return {{.inputs = {U8({2, 4, 5, 5}),
                      F32({}),
                      U8({}),
                      U8({6, 4, 3, 3}),
                      F32({}),
                      U8({}),
                      F32({}),
                      U8({}),
                      bias},
           .attributes = {{"pads", List{1, 1, 1, 1}}}},
          {.inputs = {U8({1, 4, 6, 6}),
                      F32({}),
                      U8({}),
                      U8({6, 2, 3, 3}),
                      F32({6}),
                      U8({6}),
                      F32({}),
                      U8({})},
           .attributes = {{"group", 2}}}};
}

}  // namespace

OpDef MakeQLinearConv() {
  return {.name = "QLinearConv",
          .since_version = 10,
          .infer = InferQLinearConv,
          .reference = QLinearConvReference,
          .spell = SpellQLinearConv,
          .decompose = DecomposeQLinearConv,
          .work = WorkForQLinearConv,
          .domain_of = QLinearConvDomain,
          .examples = QLinearConvExamples};
}

}  // namespace metadist::ops
