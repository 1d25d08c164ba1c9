// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/op_def.h"

// What Det and its gradient share.
namespace metadist::ops {

// The type of the determinants of x. Errors: kBadInput.
Result<TensorType> DetType(const OpCall& call);

// Examples of calls of Det.
std::vector<OpExample> DetExamples();

}  // namespace metadist::ops
