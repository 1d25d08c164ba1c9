// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/comm/transfer.h"
#include "executor/cpu/strided_copy.h"

namespace metadist {

// A pull from one source as strided copies: one for each combination of the dims' evenly spaced
// runs of equal size. Empty if that takes more than kMostCopies copies or more dims than a copy
// has; the pull is then walked run by run.
std::vector<cpu::StridedCopy> CopiesOf(const Pull& pull, ElementType element);

inline constexpr size_t kMostCopies = 256;

}  // namespace metadist
