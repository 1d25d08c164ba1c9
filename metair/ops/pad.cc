// SPDX-License-Identifier: Apache-2.0
// x with elements added before and after its dims (negative: removed), filled by `mode`: with a
// constant, the edge, the reflection or the opposite end.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/mapped_copy.h"
#include "metair/ops/maps.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist {

Result<std::vector<std::vector<int64_t>>> PadMaps(const OpCall& call) {
  const std::string mode = call.attributes->String("mode", "constant");
  const std::vector<int64_t> pads = TRY(call.Ints(1));
  std::vector<int64_t> axes(call.shape(0).size());
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has(3)) axes = TRY(NormalizeAxes(TRY(call.Ints(3)), call.rank(0)));
  if (pads.size() != 2 * axes.size())
    return BadCall("pads must have {} entries, got {}", 2 * axes.size(), pads.size());
  std::vector<int64_t> before(call.shape(0).size(), 0);
  std::vector<int64_t> after = before;
  for (size_t i = 0; i < axes.size(); ++i) {
    before[static_cast<size_t>(axes[i])] = pads[i];
    after[static_cast<size_t>(axes[i])] = pads[axes.size() + i];
  }
  constexpr int64_t kLargest = int64_t{1} << 31;
  std::vector<std::vector<int64_t>> maps;
  for (size_t d = 0; d < before.size(); ++d) {
    const int64_t size = call.shape(0)[d];
    const bool large = std::max(std::abs(before[d] / 2), std::abs(after[d] / 2)) > kLargest / 2;
    if (large || size + before[d] + after[d] < 0 || size + before[d] + after[d] > kLargest)
      return BadCall(
          "dim {} of size {} cannot be padded by {} and {}", d, size, before[d], after[d]);
    const int64_t reach = mode == "reflect" ? size - 1 : mode == "edge" ? kLargest : size;
    const bool empty = size == 0 && before[d] + after[d] > 0;
    if (mode != "constant" && (empty || std::max(before[d], after[d]) > reach))
      return BadCall("mode {} pads dim {} by at most {}, got {} and {}",
                     mode,
                     d,
                     size == 0 ? 0 : reach,
                     before[d],
                     after[d]);
    std::vector<int64_t> map;
    for (int64_t at = -before[d]; at < size + after[d]; ++at) {
      if (at >= 0 && at < size)
        map.push_back(at);
      else if (mode == "edge")
        map.push_back(at < 0 ? 0 : size - 1);
      else if (mode == "reflect")
        map.push_back(at < 0 ? -at : 2 * (size - 1) - at);
      else
        map.push_back(mode == "wrap" ? (at + size) % size : -1);
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

namespace ops {
namespace {

Result<std::vector<TensorType>> InferPad(const OpCall& call) {
  const std::string mode = call.attributes->String("mode", "constant");
  TRY(CallCheck(call)
          .Inputs(2, 4)
          .Integers(1)
          .Rank(1, 1, 1)
          .SameElement(0, 2)
          .Rank(2, 0, 1)
          .That(!call.has(2) || NumElements(call.shape(2)) == 1, "the constant must be one element")
          .Integers(3)
          .Rank(3, 1, 1)
          .That(mode == "constant" || mode == "reflect" || mode == "edge" || mode == "wrap",
                "mode must be constant, reflect, edge or wrap, got {}",
                mode)
          .Done());
  TensorType type{call.type(0).element, {}};
  for (const std::vector<int64_t>& map : TRY(PadMaps(call)))
    type.shape.push_back(static_cast<int64_t>(map.size()));
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

Result<void> PadReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (call.has(2))
    GatherStrided(in[2], {0, std::vector<int64_t>(out[0].shape().size(), 0)}, out[0]);
  CopyMapped(in[0], TRY(PadMaps(call)), out[0]);
  return {};
}

Work WorkForPad(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = call.type(0).bytes() + outputs[0].bytes()};
}

std::vector<OpExample> PadExamples() {
  return {{.inputs = {F32({4, 6}), Ints({1, 0, 2, 3})}},
          {.inputs = {F32({4, 6}), Ints({0, 1, 0, -2}), F32({})}},
          {.inputs = {F32({4, 6}), Ints({2, 1}), Absent(), Ints({-1})},
           .attributes = {{"mode", "reflect"}}},
          {.inputs = {F32({4, 6}), Ints({2, 0, 1, 3})}, .attributes = {{"mode", "edge"}}},
          {.inputs = {I64({4, 6}), Ints({2, 0, 1, 3})}, .attributes = {{"mode", "wrap"}}}};
}

Result<void> PadGradient(GradientCall& g) {
  const Shape& shape = g.call().shape(0);
  const std::vector<std::vector<int64_t>> maps = TRY(PadMaps(g.call()));
  Term dx = g.dy();
  for (size_t d = 0; d < maps.size(); ++d) {
    const int64_t size = shape[d];
    std::vector<int64_t> map = maps[d];
    std::vector<int64_t> same(static_cast<size_t>(size));
    std::iota(same.begin(), same.end(), 0);
    if (map == same) continue;
    for (int64_t& index : map)
      if (index < 0) index = size;  // is ignored
    dx = dx.Apply("metadist.GatherGradient",
                  {Term(g.b(), g.b().Integers(map))},
                  {{"axis", static_cast<int64_t>(d)}, {"size", size}});
  }
  g.Give(0, dx);
  if (g.wants(2))
    g.Give(2, g.dy().SumAllBut({}, /*keep=*/false) - dx.SumAllBut({}, /*keep=*/false));
  return {};
}

}  // namespace

OpDef MakePad() {
  return {.name = "Pad",
          .since_version = 25,
          .infer = InferPad,
          .reference = PadReference,
          .gradient = PadGradient,
          .work = WorkForPad,
          .examples = PadExamples};
}

}  // namespace ops
}  // namespace metadist
