// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis: of the elements before and at (exclusive = 1: before) each place, or
// from the end (reverse = 1).
#include <fmt/format.h>

#include <type_traits>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<int64_t> AxisOf(const OpCall& call) {
  const std::vector<int64_t> axis = TRY(call.Ints(1));
  if (axis.size() != 1) return BadInput("", fmt::format("one axis is needed, got {}", axis.size()));
  return NormalizeAxis(axis[0], call.rank(0));
}

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).Integers(1).Rank(1, 0, 1).Done());
  TRY(AxisOf(call));
  return std::vector<TensorType>{call.type(0)};
}

template <typename T>
void Accumulate(const Tensor& x, size_t axis, const Attributes& attributes, Tensor& y) {
  const bool exclusive = attributes.Int("exclusive", 0) != 0;
  const bool reverse = attributes.Int("reverse", 0) != 0;
  const std::vector<int64_t> strides = Strides(x.shape());
  const int64_t size = x.shape()[axis];
  const int64_t step = reverse ? -strides[axis] : strides[axis];
  const int64_t first = reverse ? (size - 1) * strides[axis] : 0;
  Shape lines = x.shape();
  lines[axis] = size == 0 ? 0 : 1;
  const T* from = x.data<T>();
  T* to = y.mutable_data<T>();
  ForEachIndex(lines, {strides}, [&](int64_t, const std::vector<int64_t>& at) {
    T sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t place = at[0] + first + i * step;
      if (exclusive) to[place] = sum;
      if constexpr (std::is_integral_v<T>)
        sum = WrapAdd(sum, from[place]);
      else
        sum += from[place];
      if (!exclusive) to[place] = sum;
    }
  });
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const size_t axis = static_cast<size_t>(TRY(AxisOf(call)));
  VisitNumberType(out[0].element(), [&](auto zero) {
    Accumulate<decltype(zero)>(in[0], axis, *call.attributes, out[0]);
  });
  return {};
}

std::vector<OpExample> Examples() {
  using example::F32;
  using example::Int;
  using example::With;
  return {{.inputs = {F32({4, 6}), Int(1)}},
          {.inputs = {F32({4, 6}), Int(-2)}, .attributes = With({{"exclusive", 1}})},
          {.inputs = {example::I64({2, 3, 4}), Int(1)},
           .attributes = With({{"exclusive", 1}, {"reverse", 1}})}};
}

}  // namespace

OpDef MakeCumSum() {
  return {.name = "CumSum",
          .since_version = 14,
          .url = "https://onnx.ai/onnx/operators/onnx__CumSum.html",
          .infer = Infer,
          .reference = Reference,
          .examples = Examples};
}

}  // namespace metadist::ops
