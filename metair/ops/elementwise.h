// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/broadcast.h"
#include "metair/ops/op_def.h"

// What elementwise operators share: all inputs broadcast (NumPy rules) to the output.
namespace metadist {

// All inputs have one element type; so has the output.
Result<std::vector<TensorType>> InferElementwise(const OpCall& call);
// The same with an output of bools.
Result<std::vector<TensorType>> InferComparison(const OpCall& call);

// y[i] = f(x[i]); X and Y are compute types.
template <typename X, typename Y, typename F>
void MapUnary(const Tensor& x, Tensor& y, F f) {
  const X* in = x.data<X>();
  Y* out = y.mutable_data<Y>();
  for (int64_t i = 0; i < y.size(); ++i) out[i] = f(in[i]);
}

// y[i] = f(a[i], b[i]) under broadcasting.
template <typename X, typename Y, typename F>
void MapBinary(const Tensor& a, const Tensor& b, Tensor& y, F f) {
  const X* left = a.data<X>();
  const X* right = b.data<X>();
  Y* out = y.mutable_data<Y>();
  ForEachIndex(
      y.shape(),
      {BroadcastStrides(a.shape(), y.shape()), BroadcastStrides(b.shape(), y.shape())},
      [&](int64_t i, const std::vector<int64_t>& at) { out[i] = f(left[at[0]], right[at[1]]); });
}

}  // namespace metadist
