// SPDX-License-Identifier: Apache-2.0
// The indices of the nonzero elements, in row-major order, one row for each dim of x. Their number
// depends on the elements of x.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferNonZero(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  int64_t count = kRunTimeSize;
  const Tensor* x = call.inputs[0].constant;
  if (x != nullptr && x->has_data()) {
    const std::vector<double> values = x->ToDoubles();
    count = static_cast<int64_t>(values.size()) - std::count(values.begin(), values.end(), 0.0);
  }
  return std::vector<TensorType>{{ElementType::kI64, {call.rank(0), count}}};
}

Result<void> NonZeroReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const std::vector<int64_t> strides = Strides(in[0].shape());
  std::vector<int64_t> places;
  VisitComputeType(in[0].element(), [&](auto zero) {
    const auto* x = in[0].data<decltype(zero)>();
    for (int64_t i = 0; i < in[0].size(); ++i)
      if (x[i] != zero) places.push_back(i);
  });
  const int64_t count = static_cast<int64_t>(places.size());
  if (!out[0].has_data()) out[0] = Tensor::Zeros({ElementType::kI64, {in[0].rank(), count}});
  int64_t* y = out[0].mutable_data<int64_t>();
  for (size_t d = 0; d < strides.size(); ++d)
    for (int64_t place : places) *y++ = place / strides[d] % in[0].shape()[d];
  return {};
}

std::vector<OpExample> NonZeroExamples() {
  const auto of = [](ElementType element, const Shape& shape, const std::vector<int64_t>& values) {
    return OpExample{.inputs = {{.type = {element, shape}, .constant = values}}};
  };
  return {of(ElementType::kF32, {2, 3}, {0, 1, 0, -2, 3, 0}),
          of(ElementType::kBool, {2, 1, 3}, {1, 0, 1, 0, 0, 1})};
}

}  // namespace

OpDef MakeNonZero() {
  return {.name = "NonZero",
          .since_version = 13,
          .infer = InferNonZero,
          .reference = NonZeroReference,
          .examples = NonZeroExamples};
}

}  // namespace metadist::ops
