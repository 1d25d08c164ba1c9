// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"
#include "executor/cpu/strided_copy.h"

namespace metadist::cpu {

// A kernel that only moves elements of input 0 to output 0, whose elements are those of an array of
// `shape`. from: the layout of that array in input 0.
Prepared Copying(const KernelSite& site, const Shape& shape, const StridedCopy::Side& from);
// The same if `shape` is that of output 0, which is then a view of input 0.
Prepared CopyingView(const KernelSite& site, const StridedCopy::Side& from);

}  // namespace metadist::cpu
