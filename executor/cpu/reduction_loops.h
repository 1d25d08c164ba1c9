// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/cpu/reduction.h"

namespace metadist::cpu {

// The same for any axes, functions, strides and the integer types. reduced: by dim of input 0.
Prepared ReduceByLoops(const KernelSite& site,
                       ReductionFunction function,
                       const std::vector<bool>& reduced);

}  // namespace metadist::cpu
