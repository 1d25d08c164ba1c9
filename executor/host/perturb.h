// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/tensor.h"

namespace metadist {

// kFractions: whole numbers are kept (an exponent of 2 is exact).
enum class PerturbedNumbers : uint8_t { kAll, kFractions };

// The effect of rounding errors on a program's results shows when its inputs are perturbed by one
// rounding. Each float of x is moved up or down by about one unit in the last place, or kept. Types
// of 8 bits or fewer, integers and booleans are kept. The direction depends only on the seed and
// the position.
Tensor Perturbed(const Tensor& x, uint64_t seed, PerturbedNumbers which = PerturbedNumbers::kAll);

}  // namespace metadist
