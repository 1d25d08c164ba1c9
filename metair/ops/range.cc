// SPDX-License-Identifier: Apache-2.0
// start, start + delta, ... up to but excluding limit.
#include "metair/ops/range.h"

#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist {

ValueId ComposePositions(GraphBuilder& b, int64_t first, int64_t count) {
  return b.Add("Range", {b.Integer(first), b.Integer(first + count), b.Integer(1)});
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<int64_t> CountOfRange(const OpCall& call) {
  for (size_t i = 0; i < 3; ++i)
    if (call.inputs[i].constant == nullptr || !call.inputs[i].constant->has_data())
      return BadCall("input {} must be known at compile time", i);
  if (ClassOf(call.type(0).element) == ElementClass::kFloat) {
    const double start = call.inputs[0].constant->ToDoubles()[0];
    const double limit = call.inputs[1].constant->ToDoubles()[0];
    const double delta = call.inputs[2].constant->ToDoubles()[0];
    const double count = std::ceil((limit - start) / delta);
    if (delta == 0 || !(count < 0x1p62))
      return BadCall("no range from {} to {} by {}", start, limit, delta);
    return static_cast<int64_t>(std::fmax(count, 0));
  }
  const int64_t start = TRY(call.Ints(0))[0];
  const int64_t limit = TRY(call.Ints(1))[0];
  const int64_t delta = TRY(call.Ints(2))[0];
  int64_t length = 0;
  if (delta == 0 || __builtin_sub_overflow(limit, start, &length))
    return BadCall("no range from {} to {} by {}", start, limit, delta);
  if (length == 0 || (length < 0) != (delta < 0)) return 0;
  return 1 + (delta < 0 ? length + 1 : length - 1) / delta;
}

Result<std::vector<TensorType>> InferRange(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(3)
          .Numbers(0)
          .SameElement(0, 1)
          .SameElement(0, 2)
          .Rank(0, 0, 1)
          .Rank(1, 0, 1)
          .Rank(2, 0, 1)
          .Done());
  // Scalars, or arrays of one element, which function bodies pass.
  for (size_t i = 0; i < 3; ++i)
    if (NumElements(call.type(i).shape) != 1) return BadCall("input {} must have one element", i);
  const Shape shape = {TRY(CountOfRange(call))};
  TRY(CheckedElements(shape, call.type(0).element));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> RangeReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  VisitNumberType(out[0].element(), [&](auto zero) {
    using T = decltype(zero);
    T* to = out[0].mutable_data<T>();
    for (int64_t i = 0; i < out[0].size(); ++i)
      to[i] = in[0].data<T>()[0] + static_cast<T>(i) * in[2].data<T>()[0];
  });
  return {};
}

std::vector<OpExample> RangeExamples() {
  const auto real = [](int64_t value) {
    return OpExample::Input{.type = {ElementType::kF32, {}}, .constant = {value}};
  };
  return {{.inputs = {Int(0), Int(12), Int(1)}},
          {.inputs = {Int(3), Int(12), Int(2)}},
          {.inputs = {Int(12), Int(0), Int(-5)}},
          {.inputs = {real(1), real(9), real(2)}}};
}

}  // namespace

OpDef MakeRange() {
  return {.name = "Range",
          .since_version = 11,
          .infer = InferRange,
          .reference = RangeReference,
          .examples = RangeExamples};
}

}  // namespace metadist::ops
