// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// Prepares the call as if every operand were row-major; operands that are not are copied into
// scratch memory before each run.
Prepared AfterCopies(const KernelSite& site);

}  // namespace metadist::cpu
