// SPDX-License-Identifier: Apache-2.0
// x in pieces along `axis`: of the given sizes, or of equal size with a smaller last one.
#include <numeric>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<int64_t>> SizesOfSplit(const OpCall& call, int64_t size) {
  const int64_t count = call.num_outputs;
  std::vector<int64_t> sizes;
  if (call.has(1)) {
    sizes = TRY(call.Ints(1));
    if (static_cast<int64_t>(sizes.size()) != count)
      return BadCall("expected {} sizes, got {}", count, sizes.size());
    for (int64_t piece : sizes)
      if (piece < 0 || piece > size)
        return BadCall("sizes must be in [0, {}], got {}", size, piece);
  } else {
    const int64_t asked = call.attributes->Int("num_outputs", count);
    if (asked != count) return BadCall("num_outputs is {}, outputs are {}", asked, count);
    const int64_t piece = (size + count - 1) / count;
    sizes.assign(static_cast<size_t>(count), piece);
    sizes.back() = size - piece * (count - 1);
    if (sizes.back() < 0) return BadCall("{} does not split in {} pieces", size, count);
  }
  const int64_t sum = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (sum != size) return BadCall("sizes must sum to {}, got {}", size, sum);
  return sizes;
}

Result<std::vector<TensorType>> InferSplit(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(1, 2)
          .RankAtLeast(0, 1)
          .Integers(1)
          .Rank(1, 1, 1)
          .That(call.num_outputs > 0, "at least 1 output is needed")
          .Done());
  const size_t axis =
      static_cast<size_t>(TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0))));
  std::vector<TensorType> types;
  for (int64_t size : TRY(SizesOfSplit(call, call.shape(0)[axis]))) {
    types.push_back(call.type(0));
    types.back().shape[axis] = size;
  }
  return types;
}

Result<void> SplitReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const size_t axis =
      static_cast<size_t>(TRY(NormalizeAxis(call.attributes->Int("axis", 0), in[0].rank())));
  StridedView view{0, Strides(in[0].shape())};
  for (Tensor& piece : out) {
    GatherStrided(in[0], view, piece);
    view.offset += piece.shape()[axis] * view.strides[axis];
  }
  return {};
}

Result<Spelling> SpellSplit(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  const std::vector<int64_t> sizes =
      TRY(SizesOfSplit(call, call.shape(0)[static_cast<size_t>(axis)]));
  spelling.attributes.erase("num_outputs");
  spelling.inputs[1] = Tensor::Of<int64_t>({static_cast<int64_t>(sizes.size())}, sizes);
  return spelling;
}

std::vector<OpExample> SplitExamples() {
  return {
      {.inputs = {F32({4, 9})}, .attributes = {{"axis", 1}, {"num_outputs", 3}}, .num_outputs = 3},
      {.inputs = {F32({4, 9}), Ints({2, 3, 4})}, .attributes = {{"axis", -1}}, .num_outputs = 3},
      {.inputs = {F32({7, 3})}, .attributes = {{"num_outputs", 2}}, .num_outputs = 2},
      {.inputs = {F32({2, 3, 12}), Ints({6, 6})}, .attributes = {{"axis", 2}}, .num_outputs = 2}};
}

Result<void> SplitGradient(GradientCall& g) {
  const int64_t axis = TRY(NormalizeAxis(g.attributes().Int("axis", 0), g.call().rank(0)));
  std::vector<Term> pieces;
  for (size_t o = 0; o < static_cast<size_t>(g.call().num_outputs); ++o) pieces.push_back(g.dy(o));
  const std::vector<Term> others(pieces.begin() + 1, pieces.end());
  g.Give(0, pieces[0].Apply("Concat", others, {{"axis", axis}}));
  return {};
}

}  // namespace

OpDef MakeSplit() {
  return {.name = "Split",
          .since_version = 18,
          .infer = InferSplit,
          .reference = SplitReference,
          .spell = SpellSplit,
          .gradient = SplitGradient,
          .work = MoveWork,
          .examples = SplitExamples};
}

}  // namespace metadist::ops
