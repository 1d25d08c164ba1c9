// SPDX-License-Identifier: Apache-2.0
// The same elements as a matrix: the dims before `axis` are merged into rows, the others into
// columns.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferFlatten(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  const int64_t rank = call.rank(0);
  int64_t axis = call.attributes->Int("axis", 1);
  if (axis < -rank || axis > rank)
    return BadCall("axis must be in [{}, {}], got {}", -rank, rank, axis);
  if (axis < 0) axis += rank;
  const Shape& shape = call.shape(0);
  return std::vector<TensorType>{{call.type(0).element,
                                  {NumElements({shape.begin(), shape.begin() + axis}),
                                   NumElements({shape.begin() + axis, shape.end()})}}};
}

Result<void> FlattenReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  CopyBytes(in[0], out[0]);
  return {};
}

std::vector<OpExample> FlattenExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({4, 3, 2, 5})}, .attributes = {{"axis", 2}}},
          {.inputs = {F32({4, 3, 5})}, .attributes = {{"axis", -1}}},
          {.inputs = {F32({4, 6})}, .attributes = {{"axis", 0}}}};
}

}  // namespace

OpDef MakeFlatten() {
  return {.name = "Flatten",
          .since_version = 25,
          .infer = InferFlatten,
          .reference = FlattenReference,
          .gradient = ReshapeGradient,
          .work = NoWork,
          .examples = FlattenExamples,
          .view = true};
}

}  // namespace metadist::ops
