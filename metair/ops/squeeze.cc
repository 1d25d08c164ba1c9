// SPDX-License-Identifier: Apache-2.0
// The same elements without the dims of size 1 given by axes; without axes, all dims of size 1 are
// removed.
#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferSqueeze(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1, 2).Integers(1).Rank(1, 0, 1).Done());
  std::vector<bool> drop(call.shape(0).size(), false);
  if (call.has(1)) {
    for (int64_t axis : TRY(NormalizeAxes(TRY(call.Ints(1)), call.rank(0)))) {
      drop[static_cast<size_t>(axis)] = true;
      if (call.shape(0)[static_cast<size_t>(axis)] != 1)
        return BadCall("axis {} of {} must have size 1", axis, ShapeText(call.shape(0)));
    }
  } else {
    for (size_t d = 0; d < drop.size(); ++d) drop[d] = call.shape(0)[d] == 1;
  }
  TensorType type{call.type(0).element, {}};
  for (size_t d = 0; d < drop.size(); ++d)
    if (!drop[d]) type.shape.push_back(call.shape(0)[d]);
  return std::vector<TensorType>{type};
}

Result<void> SqueezeReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  CopyBytes(in[0], out[0]);
  return {};
}

std::vector<OpExample> SqueezeExamples() {
  return {{.inputs = {F32({4, 1, 6}), Ints({1})}},
          {.inputs = {F32({1, 4, 1, 6}), Ints({-2, 0})}},
          {.inputs = {F32({1, 4, 1, 6})}}};
}

}  // namespace

OpDef MakeSqueeze() {
  return {.name = "Squeeze",
          .since_version = 25,
          .infer = InferSqueeze,
          .reference = SqueezeReference,
          .gradient = ReshapeGradient,
          .work = NoWork,
          .examples = SqueezeExamples,
          .view = true};
}

}  // namespace metadist::ops
