// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

// Kernels with a file of their own, or that share one with similar operators. Each states in its
// Decline which calls it does not support.
namespace metadist::cpu {

Prepared Accumulate(const KernelSite& site);
Prepared AdamW(const KernelSite& site);
Prepared ArgMax(const KernelSite& site);
Prepared ArgMin(const KernelSite& site);
Prepared Attention(const KernelSite& site);
Prepared AveragePool(const KernelSite& site);
Prepared BatchNormalization(const KernelSite& site);
Prepared Cast(const KernelSite& site);
Prepared Concat(const KernelSite& site);
Prepared ConstantOfShape(const KernelSite& site);
Prepared Conv(const KernelSite& site);
Prepared ConvTranspose(const KernelSite& site);
Prepared ConvWeightGradient(const KernelSite& site);
Prepared ConvWeightGradientInParts(const KernelSite& site);
Prepared CumSum(const KernelSite& site);
Prepared DepthToSpace(const KernelSite& site);
Prepared DequantizeLinear(const KernelSite& site);
Prepared DropoutInInference(const KernelSite& site);
Prepared DropoutInTraining(const KernelSite& site);
Prepared Einsum(const KernelSite& site);
Prepared Expand(const KernelSite& site);
Prepared Gather(const KernelSite& site);
Prepared GatherElements(const KernelSite& site);
Prepared GatherGradient(const KernelSite& site);
Prepared GatherND(const KernelSite& site);
Prepared Gelu(const KernelSite& site);
Prepared Gemm(const KernelSite& site);
Prepared GroupNormalization(const KernelSite& site);
Prepared InstanceNormalization(const KernelSite& site);
Prepared LayerNormalization(const KernelSite& site);
Prepared LogSoftmax(const KernelSite& site);
Prepared LRN(const KernelSite& site);
Prepared MatMul(const KernelSite& site);
Prepared MaxPool(const KernelSite& site);
Prepared MaxPoolGradient(const KernelSite& site);
Prepared MaxPoolTap(const KernelSite& site);
Prepared NegativeLogLikelihoodLoss(const KernelSite& site);
Prepared OneHot(const KernelSite& site);
Prepared Pad(const KernelSite& site);
Prepared PoolGradient(const KernelSite& site);
Prepared QuantizeLinear(const KernelSite& site);
Prepared RandomNormal(const KernelSite& site);
Prepared RandomUniform(const KernelSite& site);
Prepared Resize(const KernelSite& site);
Prepared RMSNormalization(const KernelSite& site);
Prepared RotaryEmbedding(const KernelSite& site);
Prepared ScatterElements(const KernelSite& site);
Prepared ScatterND(const KernelSite& site);
Prepared Sgd(const KernelSite& site);
Prepared Slice(const KernelSite& site);
Prepared Softmax(const KernelSite& site);
Prepared SoftmaxCrossEntropyLoss(const KernelSite& site);
Prepared SpaceToDepth(const KernelSite& site);
Prepared Split(const KernelSite& site);
Prepared Tile(const KernelSite& site);
Prepared TopK(const KernelSite& site);
Prepared Transpose(const KernelSite& site);
Prepared Trilu(const KernelSite& site);
Prepared Where(const KernelSite& site);

}  // namespace metadist::cpu
