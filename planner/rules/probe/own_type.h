// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/tensor.h"

// What a call's own element types do to values that a reference kernel computes in f64 or i64.
namespace metadist {

// The array as an array of `type` holds it: floats rounded (to infinity, where they are too large),
// integers wrapped. In the compute type as before.
Tensor Rounded(const Tensor& x, ElementType type);

// Distance from 1 to the next larger number of a float type.
double EpsilonOf(ElementType type);

// Whether a float type has fewer bits of mantissa or of exponent than another: not all numbers of
// `from` are numbers of `to`.
bool IsNarrower(ElementType to, ElementType from);

// A float of 5 bits of exponent or fewer: f16, and those of 8 and 4 bits but for f8e8m0.
bool IsShortRanged(ElementType type);

// The least finite number of a float type; a little more where rounding from f64 would miss it.
double LowestOf(ElementType type);

}  // namespace metadist
