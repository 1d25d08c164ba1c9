// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/graph_builder.h"

namespace metadist {

// The parts of softmax-like functions; folded dims keep size 1.
struct SoftmaxParts {
  ValueId highest = kNone;  // over the axes
  ValueId shifted = kNone;  // x - highest
  ValueId exponentials = kNone;
  ValueId sum = kNone;  // of the exponentials over the axes
};
SoftmaxParts ComposeSoftmax(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes);

}  // namespace metadist
