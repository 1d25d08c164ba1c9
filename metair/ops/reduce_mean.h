// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/graph_builder.h"

namespace metadist {

// The mean over the axes. The number of elements is a constant.
ValueId ComposeMean(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes, bool keep);

// Mean, deviation from it and mean squared deviation, in two passes, because mean(x^2) - mean(x)^2
// suffers from cancellation. Folded dims keep size 1.
struct Moments {
  ValueId mean = kNone;
  ValueId distance = kNone;
  ValueId variance = kNone;
};
Moments ComposeMoments(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes);

// The axes of a reduction's call. Errors: kBadInput if it folds nothing, or no floats.
struct FoldedAxes {
  std::vector<int64_t> axes;
  bool keep = true;
};
Result<FoldedAxes> FoldedAxesOf(const OpCall& call);

// Axes first, ..., end - 1.
std::vector<int64_t> AxesBetween(int64_t first, int64_t end);

}  // namespace metadist
