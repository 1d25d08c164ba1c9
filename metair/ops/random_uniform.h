// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/drawing.h"

// Operators that fill an array with random numbers. The shape comes from attribute `shape`, or from
// input 0; dtype defaults to f32, or to the type of input 0.
namespace metadist {

Result<std::vector<TensorType>> InferDrawn(const OpCall& call);
Result<std::vector<TensorType>> InferDrawnLike(const OpCall& call);
std::vector<OpExample> DrawnLikeExamples();
Work DrawnWork(const OpCall& call, std::span<const TensorType> outputs);

// Draws uniformly from [low, high).
Result<void> DrawUniform(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out);

}  // namespace metadist
