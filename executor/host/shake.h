// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/tensor.h"

namespace metadist {

// kFractions: whole numbers stay (an exponent of 2 is meant to be that).
enum class ShakenNumbers : uint8_t { kAll, kFractions };

// What roundings alone do to a program's results shows where it runs on numbers that are a rounding
// off: the floats of x, each moved up or down by about its last digit, or left. Types of 8
// bits and fewer, integers and bools stay. Which way depends on the seed and the place alone.
Tensor Shaken(const Tensor& x, uint64_t seed, ShakenNumbers which = ShakenNumbers::kAll);

}  // namespace metadist
