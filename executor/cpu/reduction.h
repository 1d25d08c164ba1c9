// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

enum class ReductionFunction : uint8_t { kTotal, kAverage, kHighest };

// y = reduction of x over axes that are neighbours, f32. Axes come from input 1 where that is a
// known constant, else from the attribute `axes`; none means all.
Prepared PrepareReduction(const KernelSite& site, ReductionFunction function);

template <ReductionFunction kFunction>
Prepared Reduction(const KernelSite& site) {
  return PrepareReduction(site, kFunction);
}

// The average over all dims from the third on.
Prepared SpatialAverage(const KernelSite& site);

}  // namespace metadist::cpu
