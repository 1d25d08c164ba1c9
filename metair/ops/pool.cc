// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/pool.h"

#include "metair/ops/example_parts.h"
#include "metair/ops/work.h"

namespace metadist {

Result<Window> PoolWindow(const OpCall& call) {
  const Shape& x = call.shape(0);
  return WindowOf(
      *call.attributes, {x.begin() + 2, x.end()}, call.attributes->Ints("kernel_shape"));
}

Result<TensorType> PoolType(const OpCall& call) {
  const Window window = TRY(PoolWindow(call));
  TensorType type{call.type(0).element, {call.shape(0)[0], call.shape(0)[1]}};
  type.shape.insert(type.shape.end(), window.output.begin(), window.output.end());
  return type;
}

Result<Spelling> SpellPool(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  SpellWindow(TRY(PoolWindow(call)), spelling.attributes);
  return spelling;
}

Result<Window> SpreadWindow(const OpCall& call) {
  const Shape& positions = call.shape(0);
  return WindowAt(*call.attributes,
                  call.attributes->Ints("size"),
                  call.attributes->Ints("kernel_shape"),
                  {positions.begin() + 2, positions.end()});
}

Result<TensorType> SpreadType(const OpCall& call) {
  const Window window = TRY(SpreadWindow(call));
  const TensorType& dy = call.inputs.back().type;
  TensorType type{dy.element, {dy.shape[0], dy.shape[1]}};
  type.shape.insert(type.shape.end(), window.input.begin(), window.input.end());
  TRY(CheckedElements(type.shape, type.element));
  return type;
}

Result<Attributes> SpreadAttributes(const OpCall& pooling) {
  const Window window = TRY(PoolWindow(pooling));
  Attributes attributes{{"size", window.input}};
  SpellWindow(window, attributes);
  return attributes;
}

Result<Term> SpreadOver(GradientCall& g, const Term& dy, bool average) {
  Attributes attributes = TRY(SpreadAttributes(g.call()));
  attributes.set("average", int64_t{average ? 1 : 0});
  attributes.set("count_include_pad", g.attributes().Int("count_include_pad", 0));
  return dy.Apply("metadist.PoolGradient", attributes);
}

Work PoolWork(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t kernel = NumElements(call.attributes->Ints("kernel_shape"));
  return FlopsWork(call, outputs, kernel * NumElements(outputs[0].shape));
}

std::vector<OpExample> PoolExamples() {
  return {{.inputs = {F32({2, 3, 6, 6})},
           .attributes = {{"kernel_shape", List{2, 2}}, {"strides", List{2, 2}}}},
          {.inputs = {F32({1, 3, 7, 5})},
           .attributes = {{"kernel_shape", List{3, 3}}, {"pads", List{1, 1, 1, 1}}}},
          {.inputs = {F32({2, 3, 8})},
           .attributes = {{"kernel_shape", List{3}}, {"strides", List{2}}, {"ceil_mode", 1}}},
          {.inputs = {F32({1, 2, 8, 5})},
           .attributes = {{"kernel_shape", List{2, 2}}, {"dilations", List{3, 2}}}},
          {.inputs = {F32({1, 2, 7, 5})},
           .attributes = {
               {"kernel_shape", List{3, 2}}, {"strides", List{2, 2}}, {"auto_pad", "SAME_LOWER"}}}};
}

}  // namespace metadist
