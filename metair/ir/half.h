// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist {

// IEEE 754 binary16 and bfloat16, stored as bits. Conversions round to nearest even; NaN stays NaN.
uint16_t FloatToHalfBits(float value);
float HalfBitsToFloat(uint16_t bits);
uint16_t FloatToBFloat16Bits(float value);
float BFloat16BitsToFloat(uint16_t bits);

struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(FloatToHalfBits(value)) {}
  explicit operator float() const { return HalfBitsToFloat(bits); }
  explicit operator double() const { return static_cast<double>(HalfBitsToFloat(bits)); }
};

struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) : bits(FloatToBFloat16Bits(value)) {}
  explicit operator float() const { return BFloat16BitsToFloat(bits); }
  explicit operator double() const { return static_cast<double>(BFloat16BitsToFloat(bits)); }
};

}  // namespace metadist
