// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// The call with every f16 and bf16 operand converted to f32, and the results converted back: block
// by block if the f32 kernel runs on ranges, else whole arrays in scratch memory. Declines if no
// operand is of those types, or if the f32 kernel declines.
Prepared ViaF32(const KernelSite& site, Maker make);

}  // namespace metadist::cpu
