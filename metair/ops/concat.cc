// SPDX-License-Identifier: Apache-2.0
// The inputs concatenated along `axis`.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferConcat(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, CallCheck::kAnyNumber).RankAtLeast(0, 1);
  for (size_t i = 1; i < call.inputs.size(); ++i)
    check.That(call.has(i), "input {} is missing", i).SameElement(0, i);
  check.That(call.attributes->has("axis"), "attribute axis is missing");
  TRY(check.Done());
  const size_t axis =
      static_cast<size_t>(TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0))));
  Shape shape = call.shape(0);
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    Shape other = call.shape(i);
    if (other.size() == shape.size()) {
      shape[axis] += other[axis];
      other[axis] = shape[axis];
    }
    if (other != shape)
      return BadCall("inputs may differ only along axis {}, got {} and {}",
                     axis,
                     ShapeText(call.shape(0)),
                     ShapeText(call.shape(i)));
  }
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> ConcatReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), out[0].rank()));
  const std::vector<int64_t> strides = Strides(out[0].shape());
  int64_t start = 0;
  for (const Tensor& x : in) {
    CopyStrided(x.shape(),
                x,
                {0, Strides(x.shape())},
                out[0],
                {start * strides[static_cast<size_t>(axis)], strides});
    start += x.dim(axis);
  }
  return {};
}

std::vector<OpExample> ConcatExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 3})}, .attributes = {{"axis", -1}}},
          {.inputs = {F32({4, 6}), F32({4, 6})}, .attributes = {{"axis", 1}}},
          {.inputs = {F32({2, 3, 4}), F32({1, 3, 4}), F32({3, 3, 4})}, .attributes = {{"axis", 0}}},
          {.inputs = {I64({2}), I64({1})}, .attributes = {{"axis", 0}}},
          {.inputs = {F32({4, 6})}, .attributes = {{"axis", 0}}}};
}

Result<void> ConcatGradient(GradientCall& g) {
  const int64_t axis = TRY(NormalizeAxis(g.attributes().Int("axis", 0), g.call().rank(0)));
  int64_t first = 0;
  for (size_t i = 0; i < g.call().inputs.size(); ++i) {
    const int64_t end = first + g.call().shape(i)[static_cast<size_t>(axis)];
    g.Give(i, g.dy().Sliced(axis, first, end));
    first = end;
  }
  return {};
}

}  // namespace

OpDef MakeConcat() {
  return {.name = "Concat",
          .since_version = 13,
          .infer = InferConcat,
          .reference = ConcatReference,
          .gradient = ConcatGradient,
          .work = MoveWork,
          .examples = ConcatExamples};
}

}  // namespace metadist::ops
