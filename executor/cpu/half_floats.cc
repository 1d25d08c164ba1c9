// SPDX-License-Identifier: Apache-2.0
// Branch-free conversions, so that loops vectorise. For f16, the exponent is rebased by one float
// multiplication, and subnormal numbers by a subtraction that aligns their bits. To round to f16, a
// float is added whose last bit aligns with the last bit of the result. Source: Maratyszcza/FP16 on
// GitHub, which describes both.
#include "executor/cpu/half_floats.h"

#include <bit>

#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

METADIST_INLINE float FloatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
METADIST_INLINE uint32_t BitsOf(float value) { return std::bit_cast<uint32_t>(value); }

METADIST_INLINE float WidenHalf(uint16_t half) {
  const uint32_t word = static_cast<uint32_t>(half) << 16;
  const uint32_t sign = word & 0x80000000u;
  const uint32_t twice = word + word;
  const float normal = FloatOf((twice >> 4) + (0xe0u << 23)) * 0x1p-112f;
  const float subnormal = FloatOf((twice >> 17) | (126u << 23)) - 0.5f;
  return FloatOf(sign | (twice < (1u << 27) ? BitsOf(subnormal) : BitsOf(normal)));
}

METADIST_INLINE uint16_t NarrowHalf(float value) {
  const uint32_t word = BitsOf(value);
  const uint32_t twice = word + word;
  // Values too large for f16 become infinite and stay infinite.
  const float scaled = (FloatOf(word & 0x7fffffffu) * 0x1p+112f) * 0x1p-110f;
  const uint32_t exponent = twice & 0xff000000u;
  const uint32_t bias = exponent < 0x71000000u ? 0x71000000u : exponent;
  const uint32_t bits = BitsOf(FloatOf((bias >> 1) + 0x07800000u) + scaled);
  const uint32_t finite = ((bits >> 13) & 0x7c00u) + (bits & 0x0fffu);
  const uint32_t magnitude = twice > 0xff000000u ? 0x7e00u : finite;
  return static_cast<uint16_t>((word & 0x80000000u) >> 16 | magnitude);
}

METADIST_INLINE uint16_t NarrowBrain(float value) {
  const uint32_t word = BitsOf(value);
  const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
  const bool nan = (word & 0x7fffffffu) > 0x7f800000u;
  return static_cast<uint16_t>(nan ? (word >> 16) | 0x40u : rounded);
}

METADIST_MULTIVERSION
void WidenF16(const uint16_t* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = WidenHalf(x[i]);
}

METADIST_MULTIVERSION
void WidenBF16(const uint16_t* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = FloatOf(static_cast<uint32_t>(x[i]) << 16);
}

METADIST_MULTIVERSION
void NarrowF16(const float* x, uint16_t* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = NarrowHalf(x[i]);
}

METADIST_MULTIVERSION
void NarrowBF16(const float* x, uint16_t* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = NarrowBrain(x[i]);
}

}  // namespace

void WidenHalves(ElementType from, const std::byte* x, float* y, int64_t count) {
  const auto widen = from == ElementType::kF16 ? WidenF16 : WidenBF16;
  widen(reinterpret_cast<const uint16_t*>(x), y, count);
}

void NarrowToHalves(ElementType to, const float* x, std::byte* y, int64_t count) {
  const auto narrow = to == ElementType::kF16 ? NarrowF16 : NarrowBF16;
  narrow(x, reinterpret_cast<uint16_t*>(y), count);
}

}  // namespace metadist::cpu
