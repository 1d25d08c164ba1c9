// SPDX-License-Identifier: Apache-2.0
// x broadcast to the shape in input 1 (and to its own: a 1 there does not shrink a dim).
#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferExpand(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(1).Rank(1, 1, 1).Done());
  const Shape to = TRY(call.Ints(1));
  TRY(CheckedElements(to, call.type(0).element));
  const Shape shape = TRY(Broadcast(call.shape(0), to));
  TRY(CheckedElements(shape, call.type(0).element));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> ExpandReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  GatherStrided(in[0], {0, BroadcastStrides(in[0].shape(), out[0].shape())}, out[0]);
  return {};
}

// For every dim of the result its size if x is repeated along it, else 1.
Result<Spelling> SpellExpand(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  std::vector<int64_t> sizes = TRY(InferExpand(call))[0].shape;
  const Shape& from = call.shape(0);
  for (size_t d = 0; d < from.size(); ++d) {
    int64_t& size = sizes[sizes.size() - from.size() + d];
    if (size == from[d]) size = 1;
  }
  spelling.inputs[1] = Tensor::Of<int64_t>({static_cast<int64_t>(sizes.size())}, sizes);
  return spelling;
}

Work WorkForExpand(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = call.type(0).bytes() + outputs[0].bytes()};
}

std::vector<OpExample> ExpandExamples() {
  return {{.inputs = {F32({4, 1, 6}), Ints({4, 3, 6})}},
          {.inputs = {F32({6}), Ints({2, 4, 6})}},
          {.inputs = {F32({3, 4}), Ints({2, 1, 1})}},
          {.inputs = {Bool({1, 1}), Ints({4, 6})}}};
}

Result<void> ExpandGradient(GradientCall& g) {
  g.Give(0, g.dy());
  return {};
}

}  // namespace

OpDef MakeExpand() {
  return {.name = "Expand",
          .since_version = 13,
          .infer = InferExpand,
          .reference = ExpandReference,
          .spell = SpellExpand,
          .gradient = ExpandGradient,
          .work = WorkForExpand,
          .examples = ExpandExamples};
}

}  // namespace metadist::ops
