// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// What the windows of signal processing share that are sums of cosines.
namespace metadist {

// A list of as many elements as input 0 says, of the type attribute output_datatype names.
Result<std::vector<TensorType>> InferCosineWindow(const OpCall& call);

// y[n] = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N); N = the size (periodic = 1) or one less.
Result<void> CosineWindow(const OpCall& call, double a0, double a1, double a2, Tensor& y);

// The same as a graph.
Result<Graph> ComposeCosineWindow(const OpCall& call, double a0, double a1, double a2);

// Nothing is read but the size.
Work CosineWindowWork(const OpCall& call, std::span<const TensorType> outputs);
std::vector<OpExample> CosineWindowExamples();

}  // namespace metadist
