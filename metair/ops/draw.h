// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// Legal elements for every input of a call, drawn from the operator's domains; constant inputs are
// used as they are, omitted inputs get Tensor(). Equal calls and seeds give equal bytes on every
// machine. Floats are multiples of 1/64, hence exact in every type but f16's and bf16's extremes.
// Errors: kBadInput if a domain is empty (an index into a dim of size 0).
Result<std::vector<Tensor>> DrawInputs(const OpCall& call, uint64_t seed);

}  // namespace metadist
