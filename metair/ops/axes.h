// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// Axes in [-rank, rank) to [0, rank), in the order given. kBadInput for one outside and for one
// that occurs twice.
Result<std::vector<int64_t>> NormalizeAxes(std::vector<int64_t> axes, int64_t rank);

}  // namespace metadist
