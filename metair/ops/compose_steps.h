// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/composer.h"

// Steps of graphs that are written outside the operators' own files, where operators have no names.
namespace metadist {

// The values one after the other along the dim.
ValueId ComposeJoined(Composer& compose, const std::vector<ValueId>& values, int64_t dim);
// The indices [begin, end) of the dim. What is made reads input 1 as begin, input 2 as end.
ValueId ComposeSpan(Composer& compose, ValueId value, int64_t dim, int64_t begin, int64_t end);
// `yes` where the condition holds, else `no`, with broadcasting.
ValueId ComposeChoice(Composer& compose, ValueId condition, ValueId yes, ValueId no);
// The sum of two values, with broadcasting.
ValueId ComposeSum(Composer& compose, ValueId a, ValueId b);
// Place by place, the element of `values` whose index along the dim is given.
ValueId ComposePicked(Composer& compose, ValueId values, ValueId indices, int64_t dim);
// The sum, the maximum, the minimum over the dims, which go.
ValueId ComposeFolded(Composer& compose, ValueId value, const std::vector<int64_t>& dims);
ValueId ComposeHighest(Composer& compose, ValueId value, const std::vector<int64_t>& dims);
ValueId ComposeLowest(Composer& compose, ValueId value, const std::vector<int64_t>& dims);
// 0, 1, ..., count - 1 as i64, along a dim that `behind` dims of size 1 follow.
ValueId ComposePlaces(Composer& compose, int64_t count, int64_t behind);
// Whether a < b, with broadcasting.
ValueId ComposeLess(Composer& compose, ValueId a, ValueId b);
// a - b, a * b, a / b, the greater and the lesser of both, with broadcasting; e to the power of the
// value.
ValueId ComposeDifference(Composer& compose, ValueId a, ValueId b);
ValueId ComposeProduct(Composer& compose, ValueId a, ValueId b);
ValueId ComposeQuotient(Composer& compose, ValueId a, ValueId b);
ValueId ComposeLesser(Composer& compose, ValueId a, ValueId b);
ValueId ComposeGreater(Composer& compose, ValueId a, ValueId b);
ValueId ComposeExponential(Composer& compose, ValueId value);

}  // namespace metadist
