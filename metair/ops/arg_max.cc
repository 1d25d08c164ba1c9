// SPDX-License-Identifier: Apache-2.0
// The index of the greatest element along `axis`: the first, or (select_last_index = 1) the last.
#include <fmt/format.h>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Numbers(0).RankAtLeast(0, 1).Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  Shape shape = call.shape(0);
  if (shape[static_cast<size_t>(axis)] == 0)
    return BadInput("", fmt::format("axis {} of {} is empty", axis, ShapeText(shape)));
  if (call.attributes->Int("keepdims", 1) != 0)
    shape[static_cast<size_t>(axis)] = 1;
  else
    shape.erase(shape.begin() + axis);
  return std::vector<TensorType>{{ElementType::kI64, shape}};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), in[0].rank()));
  const bool last = call.attributes->Int("select_last_index", 0) != 0;
  const int64_t size = in[0].dim(axis);
  const int64_t stride = Strides(in[0].shape())[static_cast<size_t>(axis)];
  int64_t* y = out[0].mutable_data<int64_t>();
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T* x = in[0].data<T>();
    for (int64_t line = 0; line < out[0].size(); ++line) {
      const T* from = x + line / stride * stride * size + line % stride;
      int64_t best = 0;
      for (int64_t i = 1; i < size; ++i)
        if (from[i * stride] > from[best * stride] ||
            (last && from[i * stride] == from[best * stride]))
          best = i;
      y[line] = best;
    }
  });
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(0)));
}

std::vector<OpExample> Examples() {
  using example::F32;
  using example::I64;
  using example::With;
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({3, 4, 5})}, .attributes = With({{"axis", -1}, {"keepdims", 0}})},
          {.inputs = {I64({3, 7})}, .attributes = With({{"axis", 1}, {"select_last_index", 1}})}};
}

}  // namespace

OpDef MakeArgMax() {
  return {.name = "ArgMax",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__ArgMax.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
