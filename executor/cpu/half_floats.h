// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "metair/ir/element_type.h"

namespace metadist::cpu {

// Converts `count` numbers between f32 and f16 or bf16, bit-identical to metair/ir/half.h (except
// for NaN payloads).
void WidenHalves(ElementType from, const std::byte* x, float* y, int64_t count);
void NarrowToHalves(ElementType to, const float* x, std::byte* y, int64_t count);

}  // namespace metadist::cpu
