// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"
#include "metair/ops/reduce.h"

// Shared by operators that fold each channel of input 0: all dims from the third on, which become
// 1.
namespace metadist {

Result<std::vector<TensorType>> InferGlobalPool(const OpCall& call);

// y[n, c] = f(...f(f(initial, x0), x1)...) over the elements of the channel.
template <typename F>
void FoldChannels(const Tensor& x, Tensor& y, double initial, F f) {
  std::vector<bool> folded(x.shape().size(), true);
  folded[0] = folded[1] = false;
  Fold<double>(x, folded, y, initial, f);
}

std::vector<OpExample> GlobalPoolExamples();

}  // namespace metadist
