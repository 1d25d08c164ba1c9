// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/broadcast.h"
#include "metair/ops/op_def.h"

// What operators share that fold some dims of input 0 (axes: input 1; none = all dims).
namespace metadist {

struct Reduction {
  std::vector<bool> folded;  // by dim of the input
  Shape shape;               // of the output
  int64_t count = 1;         // input elements folded into one
};

// Errors: kBadInput for axes that are unknown, outside or listed twice.
Result<Reduction> ReductionOf(const OpCall& call);

// An output of the input's element type.
Result<std::vector<TensorType>> InferNumberReduction(const OpCall& call);
Result<std::vector<TensorType>> InferReduction(const OpCall& call);  // bools too

// One flop for each input element.
Work ReductionWork(const OpCall& call, std::span<const TensorType> outputs);

// Strides of an array that has the dims of `shape` less the folded ones (or with size 1), along the
// dims of `shape`: 0 where folded.
std::vector<int64_t> FoldedStrides(const Shape& shape, const std::vector<bool>& folded);

// y[kept dims] = f(...f(f(initial, x0), x1)...) over the folded dims of x, in row-major order.
template <typename T, typename F>
void Fold(const Tensor& x, const std::vector<bool>& folded, Tensor& y, T initial, F f) {
  const T* from = x.data<T>();
  T* to = y.mutable_data<T>();
  for (int64_t i = 0; i < y.size(); ++i) to[i] = initial;
  ForEachIndex(
      x.shape(),
      {FoldedStrides(x.shape(), folded)},
      [&](int64_t i, const std::vector<int64_t>& at) { to[at[0]] = f(to[at[0]], from[i]); });
}

// Examples over f32; the axes vary.
std::vector<OpExample> ReductionExamples();

}  // namespace metadist
