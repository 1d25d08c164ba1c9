// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"
#include "executor/cpu/loop_nest.h"

namespace metadist::cpu {

// Rounds of the innermost loop that follow each other, or a part of one.
struct NestRows {
  const LoopNest::Offsets& at;    // of the operands, from where KernelArgs has them
  const LoopNest::Offsets& step;  // along a row
  int64_t count;                  // in a row
  const LoopNest::Offsets& next;  // from a row to the next
  int64_t rows;
};

// A kernel that is a loop over a nest whose first operands are its inputs and whose next one is
// its output. visit(args, rows). Runs on ranges where the output lies in the order of the loops.
template <size_t kInputs, typename Visitor>
RangeKernel RangeOf(const LoopNest& nest, Visitor visit) {
  static_assert(kInputs <= kMaxRangeInputs && kInputs < kMaxOperands);
  RangeKernel range;
  std::array<bool, kMaxOperands> along{};
  for (size_t o = 0; o <= kInputs; ++o) along[o] = nest.Along(o, kInputs);
  for (size_t i = 0; i < kInputs; ++i) range.along[i] = along[i];
  CHECK(nest.empty || along[kInputs], "a result lies with gaps");
  range.count = nest.empty ? 0 : nest.inner;
  for (size_t d = 0; d < nest.depth; ++d) range.count *= nest.size[d];
  range.run = [nest, along, visit](const KernelArgs& args, int64_t begin, int64_t end) {
    const auto visit_rows = [&](const LoopNest::Offsets& at, int64_t count, int64_t rows) {
      visit(args, NestRows{at, nest.inner_stride, count, nest.next_row(), rows});
    };
    nest.ForEachRowIn(begin, end, along, visit_rows);
  };
  return range;
}

// A kernel of one operand that lies as its output does: map(x, y, count). Operands behind the
// first are whole, for `map` to read from the arguments it gets last.
template <typename X, typename Y, typename Function>
RangeKernel RangeOfMap(int64_t count, Function map) {
  RangeKernel range;
  range.along[0] = true;
  range.count = count;
  range.run = [map](const KernelArgs& args, int64_t begin, int64_t end) {
    map(reinterpret_cast<const X*>(args.inputs[0]),
        reinterpret_cast<Y*>(args.outputs[0]),
        end - begin,
        args);
  };
  return range;
}

}  // namespace metadist::cpu
