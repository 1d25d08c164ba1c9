// SPDX-License-Identifier: Apache-2.0
// x from starts up to but excluding ends, by steps, along axes; bounds are clamped, negative ones
// count from the end.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

// One dim of the slice: `count` elements from `start` by `step`.
struct Cut {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

Cut CutOf(int64_t size, int64_t start, int64_t end, int64_t step) {
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, 0, size);
    return {start, step, start < end ? 1 + (end - start - 1) / step : 0};
  }
  start = std::clamp<int64_t>(start, -1, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  return {start, step, start > end ? 1 + (end - start + 1) / step : 0};
}

// One for each dim of x.
Result<std::vector<Cut>> CutsOf(const OpCall& call) {
  const std::vector<int64_t> starts = TRY(call.Ints(1));
  const std::vector<int64_t> ends = TRY(call.Ints(2));
  std::vector<int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has(3)) axes = TRY(call.Ints(3));
  std::vector<int64_t> steps(starts.size(), 1);
  if (call.has(4)) steps = TRY(call.Ints(4));
  axes = TRY(NormalizeAxes(axes, call.rank(0)));
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return BadCall("starts, ends, axes and steps must have one length, got {}, {}, {} and {}",
                   starts.size(),
                   ends.size(),
                   axes.size(),
                   steps.size());
  std::vector<Cut> cuts;
  for (int64_t size : call.shape(0)) cuts.push_back({0, 1, size});
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = static_cast<size_t>(axes[i]);
    if (steps[i] == 0) return BadCall("step of axis {} must not be 0", axis);
    cuts[axis] = CutOf(call.shape(0)[axis], starts[i], ends[i], steps[i]);
  }
  return cuts;
}

Result<std::vector<TensorType>> InferSlice(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(3, 5);
  for (size_t i = 1; i < 5; ++i) check.Integers(i).Rank(i, 1, 1);
  TRY(check.Done());
  TensorType type{call.type(0).element, {}};
  for (const Cut& cut : TRY(CutsOf(call))) type.shape.push_back(cut.count);
  return std::vector<TensorType>{type};
}

Result<void> SliceReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  StridedView view{0, Strides(in[0].shape())};
  const std::vector<Cut> cuts = TRY(CutsOf(call));
  if (out[0].size() == 0) return {};
  for (size_t d = 0; d < cuts.size(); ++d) {
    view.offset += cuts[d].start * view.strides[d];
    view.strides[d] = cuts[d].count == 1 ? 0 : view.strides[d] * cuts[d].step;
  }
  GatherStrided(in[0], view, out[0]);
  return {};
}

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

// Keeps only the axes that drop elements or are reversed, in order. A slice starts at an index
// counted from the end of the dim at which it starts, and stops at one counted from the front, or
// at no bound.
Result<Spelling> SpellSlice(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  const std::vector<Cut> cuts = TRY(CutsOf(call));
  std::vector<int64_t> columns[4];  // starts, ends, axes, steps
  for (size_t d = 0; d < cuts.size(); ++d) {
    const int64_t size = call.shape(0)[d];
    const Cut& cut = cuts[d];
    if (cut.count == 0) return Spelling::Of(call);
    if (cut.start == 0 && cut.step == 1 && cut.count == size) continue;
    const int64_t last = cut.start + (cut.count - 1) * cut.step;
    const bool forward = cut.step > 0;
    const bool to_end = forward ? last + cut.step >= size : last + cut.step < 0;
    columns[0].push_back(forward ? cut.start : cut.start - size);
    columns[1].push_back(!to_end ? last + (forward ? 1 : -1) : forward ? kEnd : -kEnd);
    columns[2].push_back(static_cast<int64_t>(d));
    columns[3].push_back(cut.step);
  }
  if (columns[0].empty()) return spelling;
  for (size_t i = 0; i < std::size(columns); ++i)
    spelling.inputs[i + 1] =
        Tensor::Of<int64_t>({static_cast<int64_t>(columns[i].size())}, columns[i]);
  return spelling;
}

std::vector<OpExample> SliceExamples() {
  return {{.inputs = {F32({8, 6}), Ints({2}), Ints({7}), Ints({0})}},
          {.inputs = {F32({4, 9}), Ints({1}), Ints({kEnd}), Ints({-1}), Ints({2})}},
          {.inputs = {F32({4, 9}), Ints({-1, -2}), Ints({-9, 0}), Absent(), Ints({-1, -3})}},
          {.inputs = {F32({4, 6, 5}), Ints({0, 1}), Ints({4, -1})}}};
}

Result<void> SliceGradient(GradientCall& g) {
  // The elements of each dim of dy stand `step` apart, in the opposite order if it is negative.
  const std::vector<Cut> cuts = TRY(CutsOf(g.call()));
  const Shape& shape = g.call().shape(0);
  Term dx = g.dy();
  std::vector<int64_t> before(shape.size(), 0);
  std::vector<int64_t> after(shape.size(), 0);
  for (size_t d = 0; d < cuts.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    const int64_t count = cuts[d].count;
    const int64_t step = count > 1 ? std::abs(cuts[d].step) : 1;
    int64_t start = cuts[d].start;
    if (cuts[d].step < 0 && count > 0) {
      start += (count - 1) * cuts[d].step;
      if (count > 1) dx = dx.Sliced(axis, -1, -kEnd, -1);
    }
    if (count > 1 && step > 1) {
      std::vector<int64_t> gap(shape.size() + 1, 0);
      gap[d + 1] = step - 1;
      Shape spread = dx.shape();
      spread[d] = count * step;
      const std::vector<int64_t> none(gap.size(), 0);
      dx = dx.Unsqueezed({axis + 1}).Padded(none, gap).Reshaped(spread);
    }
    before[d] = count == 0 ? shape[d] : start;
    after[d] = shape[d] - before[d] - (count > 1 ? count * step : count);
  }
  g.Give(0, dx.Padded(before, after));
  return {};
}

}  // namespace

OpDef MakeSlice() {
  return {.name = "Slice",
          .since_version = 13,
          .infer = InferSlice,
          .reference = SliceReference,
          .spell = SpellSlice,
          .gradient = SliceGradient,
          .work = MoveWork,
          .examples = SliceExamples};
}

}  // namespace metadist::ops
