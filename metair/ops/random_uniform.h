// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/drawing.h"

// The operators that fill an array with random numbers: its shape is attribute `shape`, or that of
// input 0; dtype defaults to f32, or to that of input 0.
namespace metadist {

Result<std::vector<TensorType>> InferDrawn(const OpCall& call);
Result<std::vector<TensorType>> InferDrawnLike(const OpCall& call);
std::vector<OpExample> DrawnLikeExamples();
Work DrawnWork(const OpCall& call, std::span<const TensorType> outputs);

// Evenly from [low, high).
Result<void> DrawUniform(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out);

}  // namespace metadist
