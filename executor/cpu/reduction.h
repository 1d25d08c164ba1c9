// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

enum class ReductionFunction : uint8_t {
  kReduceSum,
  kReduceMean,
  kReduceMax,
  kReduceMin,
  kReduceProd,
  kReduceL1,
  kReduceSumSquare,
  kReduceL2,      // root of the sum of squares
  kReduceLogSum,  // log of the sum
};

// y = reduction of x over axes, f32 (and integers for sum, max and min). Axes come from input 1 if
// it is a known constant, else from the attribute `axes`; without axes, all dims are reduced.
Prepared PrepareReduction(const KernelSite& site, ReductionFunction function);

template <ReductionFunction kFunction>
Prepared Reduction(const KernelSite& site) {
  return PrepareReduction(site, kFunction);
}

// The mean, or the maximum, over all dims from the third on.
Prepared GlobalAveragePool(const KernelSite& site);
Prepared GlobalMaxPool(const KernelSite& site);

}  // namespace metadist::cpu
