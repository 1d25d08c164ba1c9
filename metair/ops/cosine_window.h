// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by signal-processing windows that are sums of cosines.
namespace metadist {

// A vector with the number of elements given by input 0, of the type in attribute output_datatype.
Result<std::vector<TensorType>> InferCosineWindow(const OpCall& call);

// y[n] = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N); N = the size (periodic = 1) or one less.
struct CosineSum {
  double a0 = 0;
  double a1 = 0;
  double a2 = 0;
};
Result<void> CosineWindow(const OpCall& call, const CosineSum& sum, Tensor& y);

// The same as a graph.
Result<Graph> ComposeCosineWindow(const OpCall& call, const CosineSum& sum);

// The reference kernel and the decomposition of an operator with these coefficients.
template <const CosineSum& kSum>
Result<void> CosineReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  return CosineWindow(call, kSum, out[0]);
}
template <const CosineSum& kSum>
Result<Graph> DecomposeCosine(const OpCall& call) {
  return ComposeCosineWindow(call, kSum);
}

// Reads nothing but the size.
Work CosineWindowWork(const OpCall& call, std::span<const TensorType> outputs);
std::vector<OpExample> CosineWindowExamples();

}  // namespace metadist
