// SPDX-License-Identifier: Apache-2.0
// y[n, m] = bias[m] + sum over the channels c of m's group: x[n, c] correlated with weight[m, c].
#include "metair/ops/call_check.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferConv(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .Floats(0)
          .SameElement(0, 1)
          .SameElement(0, 2)
          .RankAtLeast(0, 3)
          .Done());
  return std::vector<TensorType>{{call.type(0).element, TRY(ConvolutionShape(call, {}))}};
}

Result<void> ConvReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  Convolve<double>(TRY(ConvolutionWindow(call, {})),
                   call.attributes->Int("group", 1),
                   in[0],
                   in[1],
                   call.has(2) ? &in[2] : nullptr,
                   out[0]);
  return {};
}

Result<Spelling> SpellConv(const OpCall& call) { return SpellConvolution(call, {}); }

Work WorkForConv(const OpCall& call, std::span<const TensorType> outputs) {
  return ConvolutionWork(call, {}, outputs);
}

std::vector<OpExample> ConvExamples() {
  return {
      {.inputs = {F32({2, 4, 6, 6}), F32({8, 4, 3, 3}), F32({8})},
       .attributes = {{"pads", List{1, 1, 1, 1}}, {"kernel_shape", List{3, 3}}}},
      {.inputs = {F32({2, 4, 7, 5}), F32({6, 4, 1, 1})}, .attributes = {{"strides", List{2, 2}}}},
      {.inputs = {F32({1, 4, 6, 6}), F32({6, 2, 3, 3}), F32({6})},
       .attributes = {{"group", 2}, {"strides", List{2, 1}}, {"auto_pad", "SAME_UPPER"}}},
      {.inputs = {F32({2, 3, 9}), F32({4, 3, 3}), F32({4})},
       .attributes = {{"dilations", List{2}}, {"pads", List{1, 2}}}},
      {.inputs = {F32({1, 3, 8, 8}), F32({4, 3, 4, 4}), F32({4})},
       .attributes = {{"strides", List{4, 4}}}}};
}

Result<void> ConvGradient(GradientCall& g) {
  const Window window = TRY(ConvolutionWindow(g.call(), {}));
  Attributes attributes = ConvolutionAttributes(g.call(), window);
  g.Give(1, g.x().Apply("metadist.ConvWeightGradient", {g.dy()}, attributes));
  std::vector<int64_t> rest;  // elements of x beyond the last position
  for (size_t d = 0; d < window.input.size(); ++d)
    rest.push_back(window.input[d] + window.pads_begin[d] + window.pads_end[d] -
                   ((window.output[d] - 1) * window.strides[d] +
                    (window.kernel[d] - 1) * window.dilations[d] + 1));
  if (std::ranges::any_of(rest, [](int64_t count) { return count < 0; }))
    return BadCall("no gradient of a window beyond the padding");
  attributes.set("output_padding", rest);
  g.Give(0, g.dy().Apply("ConvTranspose", {g.x(1)}, attributes));
  g.Give(2, g.dy().SumAllBut({1}, /*keep=*/false));
  return {};
}

}  // namespace

OpDef MakeConv() {
  return {.name = "Conv",
          .since_version = 22,
          .infer = InferConv,
          .reference = ConvReference,
          .spell = SpellConv,
          .gradient = ConvGradient,
          .work = WorkForConv,
          .examples = ConvExamples};
}

}  // namespace metadist::ops
