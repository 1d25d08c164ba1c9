// SPDX-License-Identifier: Apache-2.0
// The sizes of x, from `start` up to but excluding `end`.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

// The requested sizes; the bounds are clamped to the rank.
Shape SizesOfShape(const OpCall& call) {
  const int64_t rank = call.rank(0);
  const auto clamp = [rank](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = clamp(call.attributes->Int("start", 0));
  const int64_t end = clamp(call.attributes->Int("end", rank));
  const Shape& shape = call.shape(0);
  return {shape.begin() + start, shape.begin() + std::max(start, end)};
}

Result<std::vector<TensorType>> InferShape(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  return std::vector<TensorType>{
      {ElementType::kI64, {static_cast<int64_t>(SizesOfShape(call).size())}}};
}

Result<void> ShapeReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Shape sizes = SizesOfShape(call);
  std::copy(sizes.begin(), sizes.end(), out[0].mutable_data<int64_t>());
  return {};
}

std::vector<OpExample> ShapeExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"start", 0}, {"end", 1}}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"start", -2}}}};
}

}  // namespace

OpDef MakeShape() {
  return {.name = "Shape",
          .since_version = 25,
          .infer = InferShape,
          .reference = ShapeReference,
          .work = NoWork,
          .examples = ShapeExamples,
          .only_types = true};
}

}  // namespace metadist::ops
