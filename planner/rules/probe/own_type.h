// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/tensor.h"

// The effect of a call's own element types on values that a reference kernel computes in f64 or
// i64.
namespace metadist {

// The values after a conversion to `type`: floats rounded (to infinity if too large), integers
// wrapped. The result has the compute type of x.
Tensor Rounded(const Tensor& x, ElementType type);

// Distance from 1 to the next larger number of a float type.
double EpsilonOf(ElementType type);

// Whether float type `to` has fewer mantissa or exponent bits than `from`, so that it cannot
// represent all its numbers.
bool IsNarrower(ElementType to, ElementType from);

// Whether a float type has at most 5 exponent bits: f16, and those of 8 and 4 bits except f8e8m0.
bool IsShortRanged(ElementType type);

// The lowest finite number of a float type, slightly higher if rounding from f64 would miss it.
double LowestOf(ElementType type);

}  // namespace metadist
