// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/compute_type.h"
#include "metair/ops/lines.h"
#include "metair/ops/op_def.h"

// Shared by operators that fold along an axis (input 1) and keep every partial result.
namespace metadist {

// Input 1 as an axis of input 0. Errors: kBadInput unless it is one known number in range.
Result<int64_t> CumulativeAxis(const OpCall& call);
Result<std::vector<TensorType>> InferCumulative(const OpCall& call);
std::vector<OpExample> CumulativeExamples();

// F::Initial(T()) is the fold of no elements, F::Apply(y, x) adds one element.
template <typename F>
Result<void> Cumulative(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t axis = TRY(CumulativeAxis(call));
  const bool exclusive = call.attributes->Int("exclusive", 0) != 0;
  const bool reverse = call.attributes->Int("reverse", 0) != 0;
  VisitNumberType(out[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T* x = in[0].data<T>();
    T* y = out[0].mutable_data<T>();
    ForEachLine(in[0].shape(), axis, [&](const Line& line) {
      T folded = F::Initial(zero);
      for (int64_t i = 0; i < line.size; ++i) {
        const int64_t at = line.first + (reverse ? line.size - 1 - i : i) * line.stride;
        const T before = folded;
        folded = F::Apply(folded, x[at]);
        y[at] = exclusive ? before : folded;
      }
    });
  });
  return {};
}

}  // namespace metadist
