// SPDX-License-Identifier: Apache-2.0
// Moves spatial blocks to channels: [n, c, h b, w b] to [n, b b c, h, w].
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/space_depth.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferSpaceToDepth(const OpCall& call) {
  const int64_t block = TRY(BlockSizeOf(call));
  const Shape& x = call.shape(0);
  if (x[2] % block != 0 || x[3] % block != 0)
    return BadCall("height and width must be multiples of {}, got {}", block, ShapeText(x));
  const Shape shape{x[0], 1, x[2] / block, x[3] / block};
  TRY(CheckedElements({x[1], block, block}, call.type(0).element));
  return std::vector<TensorType>{
      {call.type(0).element, {shape[0], x[1] * block * block, shape[2], shape[3]}}};
}

Result<void> SpaceToDepthReference(const OpCall& call,
                                   std::span<const Tensor> in,
                                   std::span<Tensor> out) {
  const int64_t block = TRY(BlockSizeOf(call));
  const Shape& y = out[0].shape();
  CopyPermuted(in[0], {y[0], in[0].dim(1), y[2], block, y[3], block}, {0, 3, 5, 1, 2, 4}, out[0]);
  return {};
}

std::vector<OpExample> SpaceToDepthExamples() {
  return {{.inputs = {F32({3, 2, 6, 8})}, .attributes = {{"blocksize", 2}}},
          {.inputs = {F32({1, 5, 9, 6})}, .attributes = {{"blocksize", 3}}}};
}

Result<void> SpaceToDepthGradient(GradientCall& g) {
  g.Give(0, g.dy().Apply("DepthToSpace", {{"blocksize", g.attributes().Int("blocksize", 0)}}));
  return {};
}

}  // namespace

OpDef MakeSpaceToDepth() {
  return {.name = "SpaceToDepth",
          .since_version = 13,
          .infer = InferSpaceToDepth,
          .reference = SpaceToDepthReference,
          .gradient = SpaceToDepthGradient,
          .work = MoveWork,
          .examples = SpaceToDepthExamples};
}

}  // namespace metadist::ops
