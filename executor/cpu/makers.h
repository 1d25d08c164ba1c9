// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

// Kernels with a file of their own (or that share one with operators that move elements alike).
// Each says in its Decline what it does not take.
namespace metadist::cpu {

Prepared Attention(const KernelSite& site);
Prepared BlocksToChannels(const KernelSite& site);
Prepared Cast(const KernelSite& site);
Prepared ChannelsToBlocks(const KernelSite& site);
Prepared Concat(const KernelSite& site);
Prepared Conv(const KernelSite& site);
Prepared CrossEntropy(const KernelSite& site);
Prepared DropByCounter(const KernelSite& site);
Prepared Einsum(const KernelSite& site);
Prepared Expand(const KernelSite& site);
Prepared FloatsToIntegers(const KernelSite& site);
Prepared Gather(const KernelSite& site);
Prepared GatherElements(const KernelSite& site);
Prepared GatherND(const KernelSite& site);
Prepared Gelu(const KernelSite& site);
Prepared Gemm(const KernelSite& site);
Prepared IntegersToFloats(const KernelSite& site);
Prepared KeepAll(const KernelSite& site);
Prepared LayerNormalization(const KernelSite& site);
Prepared LogLikelihood(const KernelSite& site);
Prepared LogarithmicSoftmax(const KernelSite& site);
Prepared MatMul(const KernelSite& site);
Prepared MaximumPool(const KernelSite& site);
Prepared MeanPool(const KernelSite& site);
Prepared NormalizeAcrossChannels(const KernelSite& site);
Prepared NormalizeBatch(const KernelSite& site);
Prepared NormalizeGroups(const KernelSite& site);
Prepared NormalizePlanes(const KernelSite& site);
Prepared NormalNumbers(const KernelSite& site);
Prepared OneElementRepeated(const KernelSite& site);
Prepared OneHot(const KernelSite& site);
Prepared Pad(const KernelSite& site);
Prepared PlaceOfGreatest(const KernelSite& site);
Prepared PlaceOfLeast(const KernelSite& site);
Prepared Resize(const KernelSite& site);
Prepared RootMeanSquareRows(const KernelSite& site);
Prepared RotateHeads(const KernelSite& site);
Prepared RunningSum(const KernelSite& site);
Prepared ScatterElements(const KernelSite& site);
Prepared ScatterND(const KernelSite& site);
Prepared Slice(const KernelSite& site);
Prepared Softmax(const KernelSite& site);
Prepared Split(const KernelSite& site);
Prepared SpreadImages(const KernelSite& site);
Prepared Tile(const KernelSite& site);
Prepared TopK(const KernelSite& site);
Prepared Transpose(const KernelSite& site);
Prepared Trilu(const KernelSite& site);
Prepared UniformNumbers(const KernelSite& site);
Prepared Where(const KernelSite& site);

}  // namespace metadist::cpu
