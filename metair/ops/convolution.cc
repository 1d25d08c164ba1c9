// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/convolution.h"

#include "metair/ops/call_check.h"
#include "metair/ops/work.h"

namespace metadist {

Result<Window> ConvolutionWindow(const OpCall& call, const ConvolutionInputs& at) {
  const Shape& x = call.shape(at.data);
  const Shape& weight = call.shape(at.weight);
  return WindowOf(*call.attributes, {x.begin() + 2, x.end()}, {weight.begin() + 2, weight.end()});
}

Result<Shape> ConvolutionShape(const OpCall& call, const ConvolutionInputs& at) {
  const Shape& x = call.shape(at.data);
  const Shape& weight = call.shape(at.weight);
  if (weight.size() != x.size())
    return BadCall("input {} must have {} dims, got {}", at.weight, x.size(), ShapeText(weight));
  const int64_t group = call.attributes->Int("group", 1);
  const Shape kernel = call.attributes->Ints("kernel_shape", {weight.begin() + 2, weight.end()});
  CallCheck check(call);
  check.That(group >= 1, "group must be at least 1, got {}", group);
  check.That(kernel == Shape(weight.begin() + 2, weight.end()),
             "kernel_shape {} differs from that of the weight {}",
             ShapeText(kernel),
             ShapeText(weight));
  TRY(check.Done());
  check.That(x[1] % group == 0 && x[1] / group == weight[1],
             "{} channels in {} groups need a weight of {}, got {}",
             x[1],
             group,
             x[1] / group,
             weight[1]);
  check.That(weight[0] % group == 0, "{} filters do not split in {} groups", weight[0], group);
  check.That(!call.has(at.bias) || call.shape(at.bias) == Shape{weight[0]},
             "the bias must have {} elements",
             weight[0]);
  TRY(check.Done());
  const Window window = TRY(ConvolutionWindow(call, at));
  Shape shape{x[0], weight[0]};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  return shape;
}

Attributes ConvolutionAttributes(const OpCall& call, const Window& window) {
  Attributes attributes{{"group", call.attributes->Int("group", 1)}};
  SpellWindow(window, attributes);
  return attributes;
}

Result<Spelling> SpellConvolution(const OpCall& call, const ConvolutionInputs& at) {
  Spelling spelling = Spelling::Of(call);
  SpellWindow(TRY(ConvolutionWindow(call, at)), spelling.attributes);
  spelling.attributes.set("group", call.attributes->Int("group", 1));
  return spelling;
}

Work ConvolutionWork(const OpCall& call,
                     const ConvolutionInputs& at,
                     std::span<const TensorType> outputs) {
  const Shape& weight = call.shape(at.weight);
  const int64_t group = call.attributes->Int("group", 1);
  const int64_t kernel = NumElements({weight.begin() + 1, weight.end()});
  const int64_t size = NumElements(outputs[0].shape);
  Work work = FlopsWork(call, outputs, 2 * size * kernel + (call.has(at.bias) ? size : 0));
  if (weight[0] == 0) return work;
  work.batch = group;
  work.m = size / weight[0];
  work.n = weight[0] / group;
  work.k = kernel;
  return work;
}

}  // namespace metadist
