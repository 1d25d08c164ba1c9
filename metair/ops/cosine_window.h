// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// Shared by signal-processing windows that are sums of cosines.
namespace metadist {

// A vector with the number of elements given by input 0, of the type in attribute output_datatype.
Result<std::vector<TensorType>> InferCosineWindow(const OpCall& call);

// y[n] = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N); N = the size (periodic = 1) or one less.
Result<void> CosineWindow(const OpCall& call, double a0, double a1, double a2, Tensor& y);

// The same as a graph.
Result<Graph> ComposeCosineWindow(const OpCall& call, double a0, double a1, double a2);

// Reads nothing but the size.
Work CosineWindowWork(const OpCall& call, std::span<const TensorType> outputs);
std::vector<OpExample> CosineWindowExamples();

}  // namespace metadist
