// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// What operators share that divide integers.
namespace metadist {

// kBadInput when an element of `divisor` (compute type i64) is 0.
Result<void> CheckNoZero(const Tensor& divisor);

// Input 1 is positive where integers are divided.
std::vector<InputDomain> DivisorDomain(const OpCall& call);

}  // namespace metadist
