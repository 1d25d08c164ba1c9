// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ir/tensor.h"
#include "metair/ops/op_def.h"

// What MaxRoiPool and its gradient share.
namespace metadist::ops {

// The type of y for x and regions. Errors: kBadInput.
Result<TensorType> MaxRoiPoolType(const OpCall& call);

// Index in x of the first largest element in the cell of a region that element `i` of y is computed
// from; NaN counts as largest; -1 if the cell is empty. in: x, regions. Errors: kBadInput for an
// image that x does not have, and for a region that is too large.
Result<int64_t> GreatestInRoi(const OpCall& call,
                              std::span<const Tensor> in,
                              const Shape& y,
                              int64_t i);

// Legal inputs and examples of MaxRoiPool.
std::vector<InputDomain> MaxRoiPoolDomain(const OpCall& call);
std::vector<OpExample> MaxRoiPoolExamples();

}  // namespace metadist::ops
