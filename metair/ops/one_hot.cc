// SPDX-License-Identifier: Apache-2.0
// A new dim of size `depth` with values[1] at the index and values[0] elsewhere; an index out of
// range matches no position.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<int64_t> DepthOf(const OpCall& call) {
  const Tensor* depth = call.inputs[1].constant;
  if (depth == nullptr || !depth->has_data())
    return BadCall("input 1 must be known at compile time");
  const std::vector<int64_t> sizes = depth->Cast(ElementType::kI64).ToInts();
  if (sizes.size() != 1 || sizes[0] < 0)
    return BadCall("one depth of at least 0 is needed, got {}", ShapeText(sizes));
  return sizes[0];
}

Result<std::vector<TensorType>> InferOneHot(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(3)
          .Numbers(0)
          .Numbers(1)
          .Rank(1, 0, 1)
          .Rank(2, 1, 1)
          .That(!call.has(2) || call.shape(2) == Shape{2}, "values must be off and on")
          .Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0) + 1));
  Shape shape = call.shape(0);
  shape.insert(shape.begin() + axis, TRY(DepthOf(call)));
  TRY(CheckedElements(shape, call.type(2).element));
  return std::vector<TensorType>{{call.type(2).element, shape}};
}

Result<void> OneHotReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), in[0].rank() + 1));
  const int64_t depth = out[0].dim(axis);
  const int64_t stride = Strides(out[0].shape())[static_cast<size_t>(axis)];
  const Tensor indices = in[0].Cast(ElementType::kI64);
  const int64_t* index = indices.data<int64_t>();
  VisitComputeType(out[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T* values = in[2].data<T>();
    T* y = out[0].mutable_data<T>();
    std::fill_n(y, out[0].size(), values[0]);
    for (int64_t i = 0; i < in[0].size(); ++i) {
      const int64_t at = index[i] < 0 ? index[i] + depth : index[i];
      if (at < 0 || at >= depth) continue;
      y[i / stride * stride * depth + i % stride + at * stride] = values[1];
    }
  });
  return {};
}

Work WorkForOneHot(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = call.type(0).bytes() + outputs[0].bytes()};
}

std::vector<InputDomain> OneHotDomain(const OpCall& call) {
  const double depth = static_cast<double>(DepthOf(call).value());
  return {{.kind = InputDomain::Kind::kRange, .low = -depth, .high = depth - 1}, {}, {}};
}

std::vector<OpExample> OneHotExamples() {
  return {{.inputs = {I64({4, 3}), Int(7), F32({2})}},
          {.inputs = {I64({6}), Int(5), F32({2})}, .attributes = {{"axis", 0}}},
          {.inputs = {I64({2, 3}), Ints({6}), I64({2})}, .attributes = {{"axis", 1}}}};
}

Result<void> OneHotGradient(GradientCall& g) {
  const Term hot = Term(
      g.b(),
      g.b().Add("OneHot",
                {g.x(0).value(), g.x(1).value(), g.b().Constant(Tensor::Of<double>({2}, {0, 1}))},
                g.attributes()));
  const Term on = (g.dy() * hot.As(g.dy().element())).SumAllBut({}, /*keep=*/false);
  const Term off = g.dy().SumAllBut({}, /*keep=*/false) - on;
  g.Give(2, off.Unsqueezed({0}).Apply("Concat", {on.Unsqueezed({0})}, {{"axis", 0}}));
  return {};
}

}  // namespace

OpDef MakeOneHot() {
  return {.name = "OneHot",
          .since_version = 11,
          .infer = InferOneHot,
          .reference = OneHotReference,
          .gradient = OneHotGradient,
          .work = WorkForOneHot,
          .domain_of = OneHotDomain,
          .examples = OneHotExamples,
          .untrained = 0b100};
}

}  // namespace metadist::ops
