// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/narrowing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metair/ops/example_parts.h"

namespace metadist {
namespace {

Narrowing To(ElementType type, const Attributes& attributes = {}) {
  return Narrowing::Make(type, attributes).value();
}

TEST(Narrowing, WhatIsTooLargeSaturatesUnlessToldOtherwise) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(To(ElementType::kF8E4M3FN)(1e4), 448);
  EXPECT_EQ(To(ElementType::kF8E4M3FN)(-kInfinity), -448);
  EXPECT_EQ(To(ElementType::kF8E5M2)(kInfinity), 57344);
  EXPECT_EQ(To(ElementType::kF8E5M2, {{"saturate", 0}})(kInfinity), kInfinity);
  EXPECT_EQ(To(ElementType::kF16)(1e9), 1e9);
  EXPECT_TRUE(std::isnan(To(ElementType::kF8E5M2)(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Narrowing, PowersOfTwo) {
  Attributes down, nearest;
  down.set("round_mode", std::string("down"));
  nearest.set("round_mode", std::string("nearest"));
  EXPECT_EQ(To(ElementType::kF8E8M0)(-2.5), 4);
  EXPECT_EQ(To(ElementType::kF8E8M0)(4), 4);
  EXPECT_EQ(To(ElementType::kF8E8M0, down)(3.9), 2);
  EXPECT_EQ(To(ElementType::kF8E8M0, nearest)(2.9), 2);
  EXPECT_EQ(To(ElementType::kF8E8M0, nearest)(3), 4);
  EXPECT_EQ(To(ElementType::kF8E8M0)(1.5 * 0x1p127), 0x1p127);
}

TEST(Narrowing, UnknownModesAreErrors) {
  Attributes sideways;
  sideways.set("round_mode", std::string("sideways"));
  EXPECT_FALSE(Narrowing::Make(ElementType::kF8E8M0, sideways).ok());
}

TEST(Narrowing, Arrays) {
  const Tensor x = Tensor::Of<float>({2}, {500, -1.06F});
  EXPECT_EQ(To(ElementType::kF8E4M3FN).Of(x, ElementType::kF8E4M3FN).ToDoubles(),
            (std::vector<double>{448, -1}));
  EXPECT_EQ(To(ElementType::kI8).Of(x, ElementType::kI64).ToInts(),
            (std::vector<int64_t>{500, -1}));
}

}  // namespace
}  // namespace metadist
