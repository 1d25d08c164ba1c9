// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/graph_builder.h"

namespace metadist {

// log softmax of x along the axis.
ValueId ComposeLogSoftmax(GraphBuilder& b, ValueId x, int64_t axis);

}  // namespace metadist
