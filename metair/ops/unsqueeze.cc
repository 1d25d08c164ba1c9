// SPDX-License-Identifier: Apache-2.0
// The same elements with dims of size 1 inserted at the given axes of the output.
#include <algorithm>

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferUnsqueeze(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(1).Rank(1, 0, 1).Done());
  std::vector<int64_t> axes = TRY(call.Ints(1));
  axes = TRY(NormalizeAxes(axes, call.rank(0) + static_cast<int64_t>(axes.size())));
  std::sort(axes.begin(), axes.end());
  TensorType type = call.type(0);
  for (int64_t axis : axes) type.shape.insert(type.shape.begin() + axis, 1);
  return std::vector<TensorType>{type};
}

Result<void> UnsqueezeReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  CopyBytes(in[0], out[0]);
  return {};
}

std::vector<OpExample> UnsqueezeExamples() {
  return {{.inputs = {F32({4, 6}), Ints({1})}},
          {.inputs = {F32({4, 6}), Ints({-1, 0})}},
          {.inputs = {I64({6}), Ints({0})}}};
}

}  // namespace

OpDef MakeUnsqueeze() {
  return {.name = "Unsqueeze",
          .since_version = 25,
          .infer = InferUnsqueeze,
          .reference = UnsqueezeReference,
          .gradient = ReshapeGradient,
          .work = NoWork,
          .examples = UnsqueezeExamples,
          .view = true};
}

}  // namespace metadist::ops
