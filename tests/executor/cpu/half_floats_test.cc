// SPDX-License-Identifier: Apache-2.0
// Conversions of whole arrays, compared with those of single numbers.
#include "executor/cpu/half_floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "metair/ir/half.h"

namespace metadist::cpu {
namespace {

TEST(HalfFloats, EveryHalfIsWidenedExactly) {
  std::vector<uint16_t> halves(1 << 16);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  for (ElementType type : {ElementType::kF16, ElementType::kBF16}) {
    std::vector<float> wide(halves.size());
    WidenHalves(type,
                reinterpret_cast<const std::byte*>(halves.data()),
                wide.data(),
                static_cast<int64_t>(wide.size()));
    for (size_t i = 0; i < wide.size(); ++i) {
      const float expected =
          type == ElementType::kF16 ? HalfBitsToFloat(halves[i]) : BFloat16BitsToFloat(halves[i]);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(wide[i])) << i;
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(expected)) << i;
    }
  }
}

// Numbers all over the range, each with its neighbours, and the midpoints between halves.
TEST(HalfFloats, FloatsAreRoundedToTheNearest) {
  std::vector<float> numbers;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4099)
    numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const float middle = (HalfBitsToFloat(static_cast<uint16_t>(half)) +
                          HalfBitsToFloat(static_cast<uint16_t>(half + 1))) /
                         2;
    for (float value : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e30f)})
      numbers.insert(numbers.end(), {value, -value});
  }
  for (ElementType type : {ElementType::kF16, ElementType::kBF16}) {
    std::vector<uint16_t> halves(numbers.size());
    NarrowToHalves(type,
                   numbers.data(),
                   reinterpret_cast<std::byte*>(halves.data()),
                   static_cast<int64_t>(halves.size()));
    for (size_t i = 0; i < halves.size(); ++i) {
      const uint16_t expected =
          type == ElementType::kF16 ? FloatToHalfBits(numbers[i]) : FloatToBFloat16Bits(numbers[i]);
      ASSERT_EQ(halves[i], expected) << numbers[i];
    }
  }
}

}  // namespace
}  // namespace metadist::cpu
