// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/small_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "metair/ir/tensor.h"

namespace metadist {
namespace {

using Form = SmallFloatForm;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<int> BitsOf(Form form, const std::vector<double>& values) {
  std::vector<int> bits;
  for (const double value : values) bits.push_back(SmallFloatBits(form, value));
  return bits;
}

TEST(SmallFloat, EveryBitPatternSurvivesTheRoundTrip) {
  for (const Form form :
       {Form::kE4M3FN, Form::kE4M3FNUZ, Form::kE5M2, Form::kE5M2FNUZ, Form::kE8M0, Form::kE2M1})
    for (int bits = 0; bits < (form == Form::kE2M1 ? 16 : 256); ++bits) {
      const double value = SmallFloatValue(form, static_cast<uint8_t>(bits));
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(SmallFloatValue(form, SmallFloatBits(form, value)))) << bits;
      else
        EXPECT_EQ(SmallFloatBits(form, value), bits) << static_cast<int>(form);
    }
}

// Between a number and the next, the nearer one is chosen, and halfway the even one.
TEST(SmallFloat, RoundsToNearestEven) {
  for (const Form form :
       {Form::kE4M3FN, Form::kE4M3FNUZ, Form::kE5M2, Form::kE5M2FNUZ, Form::kE2M1})
    for (int bits = 0; SmallFloatValue(form, static_cast<uint8_t>(bits)) < LargestOf(form);
         ++bits) {
      const double low = SmallFloatValue(form, static_cast<uint8_t>(bits));
      const double high = SmallFloatValue(form, static_cast<uint8_t>(bits + 1));
      const double middle = (low + high) / 2;
      EXPECT_EQ(SmallFloatBits(form, middle), bits + bits % 2);
      EXPECT_EQ(SmallFloatBits(form, std::nextafter(middle, low)), bits);
      EXPECT_EQ(SmallFloatBits(form, std::nextafter(middle, high)), bits + 1);
    }
}

// The bits that ml_dtypes 0.6 gives.
TEST(SmallFloat, EqualsAnotherImplementation) {
  const std::vector<double> values = {
      0.0,   -0.0, 1,      -1.5,    1.0625,  0.3,       448,        464,  465, 240,  250,  57344,
      61440, 1e9,  0x1p-9, 0x1p-10, 0x1p-17, kInfinity, -kInfinity, kNan, 2.5, 0.25, 0.75, 3.5};
  EXPECT_EQ(BitsOf(Form::kE4M3FN, values),
            (std::vector<int>{0,   128, 56, 188, 56, 42,  126, 126, 127, 119, 120, 127,
                              127, 127, 1,  0,   0,  127, 255, 127, 66,  40,  52,  70}));
  EXPECT_EQ(BitsOf(Form::kE4M3FNUZ, values),
            (std::vector<int>{0,   0,   64, 196, 64, 50,  128, 128, 128, 127, 128, 128,
                              128, 128, 2,  1,   0,  128, 128, 128, 74,  48,  60,  78}));
  EXPECT_EQ(BitsOf(Form::kE5M2, values),
            (std::vector<int>{0,   128, 60, 190, 60, 53,  95,  95,  95, 92, 92, 123,
                              124, 124, 24, 20,  0,  124, 252, 126, 65, 52, 58, 67}));
  EXPECT_EQ(BitsOf(Form::kE5M2FNUZ, values),
            (std::vector<int>{0,   0,   64, 194, 64, 57,  99,  99,  99, 96, 96, 127,
                              128, 128, 28, 24,  1,  128, 128, 128, 69, 56, 62, 71}));
  EXPECT_EQ(BitsOf(Form::kE2M1, values), (std::vector<int>{0, 8, 2, 11, 2, 1, 7,  7, 7, 7, 7, 7,
                                                           7, 7, 0, 0,  0, 7, 15, 8, 4, 0, 2, 6}));
}

TEST(SmallFloat, PowersOfTwo) {
  EXPECT_EQ(SmallFloatBits(Form::kE8M0, 1), 127);
  EXPECT_EQ(SmallFloatBits(Form::kE8M0, 1.25), 127);
  EXPECT_EQ(SmallFloatBits(Form::kE8M0, 3), 129);
  EXPECT_EQ(SmallFloatBits(Form::kE8M0, 1e300), 254);
  EXPECT_EQ(SmallFloatBits(Form::kE8M0, 0), 0);
  EXPECT_EQ(SmallFloatBits(Form::kE8M0, kInfinity), 255);
}

TEST(SmallInt, WrapsAndExtendsTheSign) {
  EXPECT_EQ(static_cast<int64_t>(Int4(int64_t{-8})), -8);
  EXPECT_EQ(static_cast<int64_t>(Int4(int64_t{8})), -8);
  EXPECT_EQ(static_cast<int64_t>(Int4(int64_t{-1})), -1);
  EXPECT_EQ(static_cast<int64_t>(UInt4(int64_t{-1})), 15);
  EXPECT_EQ(static_cast<int64_t>(Int2(int64_t{2})), -2);
  EXPECT_EQ(static_cast<int64_t>(UInt2(int64_t{7})), 3);
}

// Between any two types; through the compute type if one of them is small.
TEST(SmallTypes, TensorsAreCast) {
  const Tensor numbers = Tensor::Of<float>({4}, {0.5F, -3, 1.2F, 7.9F});
  EXPECT_EQ(numbers.Cast(ElementType::kF8E4M3FN).ToDoubles(),
            (std::vector<double>{0.5, -3, 1.25, 8}));
  EXPECT_EQ(numbers.Cast(ElementType::kI4).ToInts(), (std::vector<int64_t>{0, -3, 1, 7}));
  EXPECT_EQ(numbers.Cast(ElementType::kF4E2M1).Cast(ElementType::kF16).ToDoubles(),
            (std::vector<double>{0.5, -3, 1, 6}));
  EXPECT_EQ(numbers.Cast(ElementType::kI2).Cast(ElementType::kBool).ToInts(),
            (std::vector<int64_t>{0, 1, 1, 1}));
}

TEST(SmallTypes, BitsOfNumpy) {
  const Tensor bytes = Tensor::Of<uint8_t>({2}, {0x38, 0xff});
  const Tensor floats = FromBits(bytes, ElementType::kF8E5M2);
  EXPECT_EQ(floats.element(), ElementType::kF8E5M2);
  EXPECT_EQ(floats.ToDoubles()[0], 0.5);
  EXPECT_EQ(FromBits(bytes, ElementType::kI4).ToInts(), (std::vector<int64_t>{-8, -1}));
  EXPECT_EQ(FromBits(bytes, ElementType::kF32).element(), ElementType::kU8);
}

}  // namespace
}  // namespace metadist
