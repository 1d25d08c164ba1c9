// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// Maps axes in [-rank, rank) to [0, rank), keeping their order. Errors: kBadInput if an axis is out
// of range or occurs twice.
Result<std::vector<int64_t>> NormalizeAxes(std::vector<int64_t> axes, int64_t rank);

}  // namespace metadist
