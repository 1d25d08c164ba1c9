// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace metadist {
namespace {

TEST(Half, EveryBitPatternSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    const float wide = HalfBitsToFloat(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(HalfBitsToFloat(FloatToHalfBits(wide))));
    } else {
      ASSERT_EQ(FloatToHalfBits(wide), half) << bits;
    }
    const float brain = BFloat16BitsToFloat(half);
    if (std::isnan(brain)) continue;
    ASSERT_EQ(FloatToBFloat16Bits(brain), half) << bits;
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(FloatToHalfBits(1.0f), 0x3c00);
  EXPECT_EQ(FloatToHalfBits(1.0f + 0x1p-11f), 0x3c00);             // tie, to even
  EXPECT_EQ(FloatToHalfBits(1.0f + 0x1p-10f + 0x1p-11f), 0x3c02);  // tie, to even
  EXPECT_EQ(FloatToHalfBits(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);
  EXPECT_EQ(FloatToHalfBits(65519.0f), 0x7bff);
  EXPECT_EQ(FloatToHalfBits(65520.0f), 0x7c00);  // rounds to infinity
  EXPECT_EQ(FloatToHalfBits(0x1p-24f), 0x0001);
  EXPECT_EQ(FloatToHalfBits(0x1p-25f), 0x0000);  // tie, to even
  EXPECT_EQ(FloatToHalfBits(0x1.8p-25f), 0x0001);
  EXPECT_EQ(FloatToHalfBits(-0.0f), 0x8000);
  EXPECT_EQ(FloatToHalfBits(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(FloatToHalfBits(0x1.ffep-15f), 0x0400);  // largest subnormal + half a unit
  EXPECT_EQ(FloatToBFloat16Bits(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(FloatToBFloat16Bits(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);
}

}  // namespace
}  // namespace metadist
