// SPDX-License-Identifier: Apache-2.0
// x repeated along each dim.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/mapped_copy.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferTile(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Integers(1).Rank(1, 1, 1).Done());
  const std::vector<int64_t> repeats = TRY(call.Ints(1));
  if (repeats.size() != call.shape(0).size())
    return BadCall("repeats must have {} entries, got {}", call.rank(0), repeats.size());
  TensorType type = call.type(0);
  for (size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] < 0) return BadCall("repeats must not be negative, got {}", repeats[d]);
    if (__builtin_mul_overflow(type.shape[d], repeats[d], &type.shape[d]))
      return BadCall("repeats {} overflow 64 bits", ShapeText(repeats));
  }
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

Result<void> TileReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  std::vector<std::vector<int64_t>> maps;
  for (size_t d = 0; d < in[0].shape().size(); ++d) {
    std::vector<int64_t> map(static_cast<size_t>(out[0].shape()[d]));
    for (size_t i = 0; i < map.size(); ++i) map[i] = static_cast<int64_t>(i) % in[0].shape()[d];
    maps.push_back(std::move(map));
  }
  CopyMapped(in[0], maps, out[0]);
  return {};
}

Work WorkForTile(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = call.type(0).bytes() + outputs[0].bytes()};
}

std::vector<OpExample> TileExamples() {
  return {{.inputs = {F32({4, 6}), Ints({2, 1})}},
          {.inputs = {F32({2, 3, 4}), Ints({1, 2, 3})}},
          {.inputs = {Bool({6}), Ints({2})}}};
}

Result<void> TileGradient(GradientCall& g) {
  const Shape& shape = g.call().shape(0);
  const std::vector<int64_t> repeats = TRY(g.call().Ints(1));
  Shape copies;  // each dim as its copies, and their elements
  std::vector<int64_t> axes;
  for (size_t d = 0; d < shape.size(); ++d) {
    copies.insert(copies.end(), {repeats[d], shape[d]});
    axes.push_back(static_cast<int64_t>(2 * d));
  }
  g.Give(0, g.dy().Reshaped(copies).Sum(axes, /*keep=*/false));
  return {};
}

}  // namespace

OpDef MakeTile() {
  return {.name = "Tile",
          .since_version = 13,
          .infer = InferTile,
          .reference = TileReference,
          .gradient = TileGradient,
          .work = WorkForTile,
          .examples = TileExamples};
}

}  // namespace metadist::ops
