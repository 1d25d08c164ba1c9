// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist {

// Floats of 8 or fewer bits, stored one per byte. E4M3FN and E5M2: OCP 8-bit Floating Point
// Specification 1.0. FNUZ (one zero, no infinity, NaN in place of -0): Noune et al. 2022, "8-bit
// numerical formats for deep neural networks". E2M1 and E8M0 (powers of two): OCP Microscaling
// Formats 1.0.
enum class SmallFloatForm : uint8_t { kE4M3FN, kE4M3FNUZ, kE5M2, kE5M2FNUZ, kE8M0, kE2M1 };

// Rounds to nearest even; E8M0 uses the magnitude, rounded to the nearest power of two. Values that
// are too large become infinity if the form has one, else NaN, else (E2M1) the largest number. NaN
// stays NaN; E2M1 has no NaN and uses 0.
uint8_t SmallFloatBits(SmallFloatForm form, double value);
double SmallFloatValue(SmallFloatForm form, uint8_t bits);
// The largest finite number.
double LargestOf(SmallFloatForm form);

template <SmallFloatForm kOf>
struct SmallFloat {
  static constexpr SmallFloatForm kForm = kOf;
  uint8_t bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(double value) : bits(SmallFloatBits(kForm, value)) {}
  explicit operator float() const { return static_cast<float>(SmallFloatValue(kForm, bits)); }
  explicit operator double() const { return SmallFloatValue(kForm, bits); }
};

using Float8E4M3FN = SmallFloat<SmallFloatForm::kE4M3FN>;
using Float8E4M3FNUZ = SmallFloat<SmallFloatForm::kE4M3FNUZ>;
using Float8E5M2 = SmallFloat<SmallFloatForm::kE5M2>;
using Float8E5M2FNUZ = SmallFloat<SmallFloatForm::kE5M2FNUZ>;
using Float8E8M0 = SmallFloat<SmallFloatForm::kE8M0>;
using Float4E2M1 = SmallFloat<SmallFloatForm::kE2M1>;

// Integers of 4 and 2 bits, stored in the low bits of a byte; the other bits are 0. Out-of-range
// values wrap.
template <int kBits, bool kSigned>
struct SmallInt {
  static constexpr int kBitSize = kBits;
  static constexpr int64_t kLow = kSigned ? -(int64_t{1} << (kBits - 1)) : 0;
  static constexpr int64_t kHigh = kLow + (int64_t{1} << kBits) - 1;
  uint8_t bits = 0;

  SmallInt() = default;
  explicit SmallInt(int64_t value) : bits(static_cast<uint8_t>(value & ((1 << kBits) - 1))) {}
  explicit operator int64_t() const { return bits > kHigh ? bits - (1 << kBits) : bits; }
  explicit operator float() const { return static_cast<float>(static_cast<int64_t>(*this)); }
  explicit operator double() const { return static_cast<double>(static_cast<int64_t>(*this)); }
};

using Int4 = SmallInt<4, true>;
using UInt4 = SmallInt<4, false>;
using Int2 = SmallInt<2, true>;
using UInt2 = SmallInt<2, false>;

template <typename T>
inline constexpr bool kIsSmallFloat = false;
template <SmallFloatForm kForm>
inline constexpr bool kIsSmallFloat<SmallFloat<kForm>> = true;
template <typename T>
inline constexpr bool kIsSmallInt = false;
template <int kBits, bool kSigned>
inline constexpr bool kIsSmallInt<SmallInt<kBits, kSigned>> = true;

}  // namespace metadist
