// SPDX-License-Identifier: Apache-2.0
// Rearranges channels into spatial blocks: [n, b b c, h, w] to [n, c, h b, w b], where the output's
// channel is the innermost (mode DCR) or the outermost (CRD) part of the input's channel.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/space_depth.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferDepthToSpace(const OpCall& call) {
  const int64_t block = TRY(BlockSizeOf(call));
  const std::string mode = call.attributes->String("mode", "DCR");
  const Shape& x = call.shape(0);
  TRY(CallCheck(call)
          .That(mode == "DCR" || mode == "CRD", "mode must be DCR or CRD, got {}", mode)
          .That(x[1] % (block * block) == 0,
                "channels must be a multiple of {}, got {}",
                block * block,
                x[1])
          .Done());
  return std::vector<TensorType>{
      {call.type(0).element, {x[0], x[1] / block / block, x[2] * block, x[3] * block}}};
}

Result<void> DepthToSpaceReference(const OpCall& call,
                                   std::span<const Tensor> in,
                                   std::span<Tensor> out) {
  const int64_t block = TRY(BlockSizeOf(call));
  const Shape& x = in[0].shape();
  const int64_t channels = out[0].dim(1);
  if (call.attributes->String("mode", "DCR") == "DCR")
    CopyPermuted(in[0], {x[0], block, block, channels, x[2], x[3]}, {0, 3, 4, 1, 5, 2}, out[0]);
  else
    CopyPermuted(in[0], {x[0], channels, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3}, out[0]);
  return {};
}

std::vector<OpExample> DepthToSpaceExamples() {
  return {{.inputs = {F32({3, 8, 5, 7})}, .attributes = {{"blocksize", 2}}},
          {.inputs = {F32({3, 8, 5, 7})}, .attributes = {{"blocksize", 2}, {"mode", "CRD"}}}};
}

Result<void> DepthToSpaceGradient(GradientCall& g) {
  const int64_t block = TRY(BlockSizeOf(g.call()));
  if (g.attributes().String("mode", "DCR") == "DCR") {
    g.Give(0, g.dy().Apply("SpaceToDepth", {{"blocksize", block}}));
    return {};
  }
  const Shape& x = g.call().shape(0);
  const Term blocks = g.dy().Reshaped({x[0], x[1] / block / block, x[2], block, x[3], block});
  g.Give(0, blocks.Transposed({0, 1, 3, 5, 2, 4}).Reshaped(x));
  return {};
}

}  // namespace

OpDef MakeDepthToSpace() {
  return {.name = "DepthToSpace",
          .since_version = 13,
          .infer = InferDepthToSpace,
          .reference = DepthToSpaceReference,
          .gradient = DepthToSpaceGradient,
          .work = MoveWork,
          .examples = DepthToSpaceExamples};
}

}  // namespace metadist::ops
