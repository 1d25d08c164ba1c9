// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"
#include "executor/cpu/loop_nest.h"

namespace metadist::cpu {

// Consecutive innermost loops, or a section of one.
struct NestRows {
  const LoopNest::Offsets& at;    // of the operands, relative to the pointers in KernelArgs
  const LoopNest::Offsets& step;  // between elements of a row
  int64_t count;                  // elements in a row
  const LoopNest::Offsets& next;  // from one row to the next
  int64_t rows;
};

// A kernel that is a loop nest whose first operands are its inputs and whose next one is its
// output. Calls visit(args, rows). Runs on ranges; the output must be dense in loop order.
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

// A kernel of one operand with the layout of its output: map(x, y, count, args). Other operands are
// whole; `map` reads them from args.
template <typename X, typename Y, typename Function>
RangeKernel RangeOfMap(int64_t count, Function map) {
  RangeKernel range;
  range.along[0] = true;
  range.count = count;
  range.run = [map](const KernelArgs& args, int64_t begin, int64_t end) {
    map(args.in<X>(0), args.out<Y>(), end - begin, args);
  };
  return range;
}

}  // namespace metadist::cpu
