// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace metadist::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A template argument, because a function that is always inlined cannot be called through a
// pointer.
template <float (*kFast)(float), typename Exact>
double WorstRelative(Exact exact, float low, float high, double floor) {
  double worst = 0;
  for (int i = 0; i <= 100000; ++i) {
    const float x = low + (high - low) * static_cast<float>(i) / 100000.0f;
    const double truth = exact(static_cast<double>(x));
    worst = std::max(
        worst, std::abs(static_cast<double>(kFast(x)) - truth) / std::max(std::abs(truth), floor));
  }
  return worst;
}

TEST(VectorMath, Exponential) {
  EXPECT_LT(WorstRelative<Exp>([](double x) { return std::exp(x); }, -87, 88.7f, 0), 3e-7);
  EXPECT_EQ(Exp(0.0f), 1.0f);
  EXPECT_EQ(Exp(-200.0f), 0.0f);
  EXPECT_EQ(Exp(-kInfinity), 0.0f);
  EXPECT_EQ(Exp(200.0f), kInfinity);
  EXPECT_TRUE(std::isnan(Exp(kNan)));
}

TEST(VectorMath, HyperbolicTangent) {
  EXPECT_LT(WorstRelative<HyperbolicTangent>([](double x) { return std::tanh(x); }, -12, 12, 1e-9),
            1e-6);
  EXPECT_EQ(HyperbolicTangent(100.0f), 1.0f);
  EXPECT_EQ(HyperbolicTangent(-100.0f), -1.0f);
  EXPECT_TRUE(std::isnan(HyperbolicTangent(kNan)));
}

TEST(VectorMath, ErrorFunction) {
  EXPECT_LT(WorstRelative<ErrorFunction>([](double x) { return std::erf(x); }, -6, 6, 1e-9), 1e-6);
  EXPECT_EQ(ErrorFunction(10.0f), 1.0f);
  EXPECT_EQ(ErrorFunction(-10.0f), -1.0f);
  EXPECT_TRUE(std::isnan(ErrorFunction(kNan)));
}

TEST(VectorMath, Logistic) {
  EXPECT_LT(WorstRelative<Logistic>([](double x) { return 1 / (1 + std::exp(-x)); }, -20, 20, 1e-9),
            5e-7);
  EXPECT_EQ(Logistic(-200.0f), 0.0f);
}

}  // namespace
}  // namespace metadist::cpu
