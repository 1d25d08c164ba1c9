// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/graph_builder.h"

namespace metadist {

// first, first + 1, ..., first + count - 1 as i64.
ValueId ComposePositions(GraphBuilder& b, int64_t first, int64_t count);

}  // namespace metadist
