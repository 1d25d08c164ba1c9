// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/graph_builder.h"

namespace metadist {

// sqrt(sum of x^2) over the axes. The squares are summed in f64, where squares of f32 do not
// overflow.
ValueId ComposeNorm(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes, bool keep);

}  // namespace metadist
