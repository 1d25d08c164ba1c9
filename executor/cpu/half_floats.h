// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "metair/ir/element_type.h"

namespace metadist::cpu {

// `count` numbers between f32 and a half type, bit for bit as metair/ir/half.h converts them (a NaN
// may have another payload).
void WidenHalves(ElementType from, const std::byte* x, float* y, int64_t count);
void NarrowToHalves(ElementType to, const float* x, std::byte* y, int64_t count);

}  // namespace metadist::cpu
