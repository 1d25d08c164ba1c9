// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// Shared by operators that divide integers.
namespace metadist {

// Errors: kBadInput if an element of `divisor` (compute type i64) is 0.
Result<void> CheckNoZero(const Tensor& divisor);

// Input 1 is positive if integers are divided.
std::vector<InputDomain> DivisorDomain(const OpCall& call);

}  // namespace metadist
