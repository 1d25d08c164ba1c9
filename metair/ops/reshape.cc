// SPDX-License-Identifier: Apache-2.0
// The same elements with another shape: -1 is inferred, 0 copies the input's size (if allowzero =
// 0).
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferReshape(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(1).Rank(1, 1, 1).Done());
  Shape shape = TRY(call.Ints(1));
  const Shape& from = call.shape(0);
  const bool copy_zeros = call.attributes->Int("allowzero", 0) == 0;
  int64_t inferred = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && copy_zeros) {
      if (i >= from.size())
        return BadCall("entry {} copies a dim that {} lacks", i, ShapeText(from));
      shape[i] = from[i];
    }
    if (shape[i] < -1) return BadCall("sizes must be at least -1, got {}", shape[i]);
    if (shape[i] != -1) continue;
    if (inferred >= 0) return BadCall("only one size may be -1");
    inferred = static_cast<int64_t>(i);
    shape[i] = 1;
  }
  const int64_t total = NumElements(from);
  int64_t known = TRY(CheckedElements(shape, call.type(0).element));
  if (inferred >= 0 && known > 0) {
    shape[static_cast<size_t>(inferred)] = total / known;
    known *= total / known;
  } else if (inferred >= 0) {
    shape[static_cast<size_t>(inferred)] = 0;
  }
  if (known != total)
    return BadCall("{} has {} elements, which do not fill {}",
                   ShapeText(from),
                   total,
                   ShapeText(TRY(call.Ints(1))));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> ReshapeReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  CopyBytes(in[0], out[0]);
  return {};
}

// Writes sizes instead of -1 and 0. Empty results are left as they are: a 0 there may be a size
// (allowzero).
Result<Spelling> SpellReshape(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  const Shape shape = TRY(InferReshape(call))[0].shape;
  if (NumElements(shape) == 0) return spelling;
  spelling.attributes.erase("allowzero");
  spelling.inputs[1] = Tensor::Of<int64_t>({static_cast<int64_t>(shape.size())}, shape);
  return spelling;
}

std::vector<OpExample> ReshapeExamples() {
  return {{.inputs = {F32({4, 6, 10}), Ints({24, 10})}},
          {.inputs = {F32({24, 10}), Ints({4, 6, 10})}},
          {.inputs = {F32({24, 60}), Ints({4, -1, 6, 10})}},
          {.inputs = {F32({4, 6, 10}), Ints({0, 0, 2, 5})}}};
}

}  // namespace

OpDef MakeReshape() {
  return {.name = "Reshape",
          .since_version = 21,
          .infer = InferReshape,
          .reference = ReshapeReference,
          .spell = SpellReshape,
          .gradient = ReshapeGradient,
          .work = NoWork,
          .examples = ReshapeExamples,
          .view = true};
}

}  // namespace metadist::ops
