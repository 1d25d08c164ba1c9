// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/counter_random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace metadist {
namespace {

// Five standard deviations. All seeds are fixed, so these bounds hold either always or never.
constexpr double kDeviations = 5;

std::vector<uint64_t> Bits(PhiloxKey key, const Shape& shape, std::vector<int64_t> start = {}) {
  const CounterRandom random(shape, std::move(start));
  std::vector<uint64_t> bits(static_cast<size_t>(random.lines() * random.length()));
  for (int64_t line = 0; line < random.lines(); ++line)
    random.Fill(key, line, bits.data() + line * random.length());
  return bits;
}

std::vector<double> Uniforms(PhiloxKey key, const Shape& shape) {
  std::vector<double> out;
  for (const uint64_t bits : Bits(key, shape)) out.push_back(UniformOf(bits));
  return out;
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < b.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
  return 12 * sum / static_cast<double>(b.size());
}

// The known answers of the authors' Random123 library (kat_vectors, philox4x32, 10 rounds).
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(Philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, ElementsAreHalvesOfTheirPlacesBlock) {
  const PhiloxKey key{3, 4};
  const std::vector<uint64_t> bits = Bits(key, {2, 3, 5, 70});
  const PhiloxBlock block = Philox({34, 2, 1, 1}, key);
  const size_t at = ((1 * 3 + 1) * 5 + 2) * 70 + 68;
  EXPECT_EQ(bits[at], uint64_t{block[1]} << 32 | block[0]);
  EXPECT_EQ(bits[at + 1], uint64_t{block[3]} << 32 | block[2]);
}

TEST(CounterRandom, PartsHoldWhatTheWholeHolds) {
  const PhiloxKey key = KeyOfSeed(9);
  for (const Shape& shape : {Shape{77},
                             Shape{5, 40},
                             Shape{3, 4, 35},
                             Shape{3, 2, 4, 5},
                             Shape{2, 3, 2, 3, 4},
                             Shape{2, 1, 3, 2, 2, 2, 3, 2, 5}}) {
    const std::vector<uint64_t> whole = Bits(key, shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t inner = 1;
      for (size_t e = d + 1; e < shape.size(); ++e) inner *= shape[e];
      for (int64_t begin = 0; begin < shape[d]; ++begin) {
        Shape part = shape;
        part[d] = (shape[d] - begin + 1) / 2;
        std::vector<int64_t> start(shape.size(), 0);
        start[d] = begin;
        const std::vector<uint64_t> bits = Bits(key, part, start);
        for (size_t i = 0; i < bits.size(); ++i) {
          const auto line = static_cast<int64_t>(i) / inner;
          const int64_t index = line / part[d] * shape[d] + begin + line % part[d];
          ASSERT_EQ(bits[i],
                    whole[static_cast<size_t>(index * inner) + i % static_cast<size_t>(inner)])
              << "dim " << d << " of " << ShapeText(shape) << " from " << begin;
        }
      }
    }
  }
}

TEST(CounterRandom, ScalarsAndEmptyArraysAreDrawn) {
  EXPECT_EQ(Bits({1, 2}, {}).size(), 1u);
  EXPECT_EQ(Bits({1, 2}, {}), Bits({1, 2}, {1}));
  EXPECT_TRUE(Bits({1, 2}, {0}).empty());
  EXPECT_TRUE(Bits({1, 2}, {0, 3}).empty());
  EXPECT_TRUE(Bits({1, 2}, {3, 0}).empty());
}

TEST(CounterRandom, NoTwoElementsShareTheirBits) {
  for (const Shape& shape : {Shape{5000}, Shape{50, 100}, Shape{5, 4, 3, 2, 3, 4, 5}}) {
    std::vector<uint64_t> bits = Bits(KeyOfSeed(1), shape);
    std::sort(bits.begin(), bits.end());
    EXPECT_EQ(std::adjacent_find(bits.begin(), bits.end()), bits.end()) << ShapeText(shape);
  }
}

TEST(CounterRandom, UniformsHaveTheirMomentsAndNoCorrelations) {
  const Shape shape = {40, 50, 60};
  const double count = 40 * 50 * 60;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<double> u = Uniforms(KeyOfSeed(seed), shape);
    const double mean = std::accumulate(u.begin(), u.end(), 0.0) / count;
    EXPECT_NEAR(mean, 0.5, kDeviations * std::sqrt(1 / 12.0 / count));
    EXPECT_NEAR(Correlation(u, u), 1, kDeviations * std::sqrt(0.8 / count));  // the variance
    for (const int step : {1, 2, 60, 50 * 60}) {
      const std::vector<double> later(u.begin() + step, u.end());
      EXPECT_NEAR(Correlation(u, later), 0, kDeviations / std::sqrt(count)) << "by " << step;
    }
    EXPECT_NEAR(
        Correlation(u, Uniforms(KeyOfSeed(seed + 1), shape)), 0, kDeviations / std::sqrt(count));
  }
}

TEST(CounterRandom, NeighbouringNamesAreNotCorrelated) {
  const Shape shape = {300, 400};
  const std::vector<double> u = Uniforms(KeyOfName("/layers.1/dropout"), shape);
  for (const char* name : {"/layers.2/dropout", "/layers.1/dropout_1", "", "a"})
    EXPECT_NEAR(
        Correlation(u, Uniforms(KeyOfName(name), shape)), 0, kDeviations / std::sqrt(120000));
}

// Chi-square of the values of each byte: 255 degrees of freedom, deviation sqrt(510).
TEST(CounterRandom, BytesAreEven) {
  const std::vector<uint64_t> bits = Bits(KeyOfSeed(5), {64, 4096});
  const double expected = static_cast<double>(bits.size()) / 256;
  for (int byte = 0; byte < 8; ++byte) {
    std::vector<double> seen(256, 0);
    for (const uint64_t one : bits) ++seen[one >> (8 * byte) & 255];
    double chi = 0;
    for (const double n : seen) chi += (n - expected) * (n - expected) / expected;
    EXPECT_NEAR(chi, 255, kDeviations * std::sqrt(510.0)) << "byte " << byte;
  }
}

TEST(UniformOf, TakesAsManyDigitsAsTheTypeHas) {
  EXPECT_EQ(UniformOf(0), 0);
  for (const ElementType type :
       {ElementType::kF64, ElementType::kF32, ElementType::kF16, ElementType::kBF16}) {
    const int digits = UniformDigits(type);
    const double most = UniformOf(~uint64_t{0}, digits);
    EXPECT_LT(most, 1);
    EXPECT_EQ(most, 1 - std::ldexp(1, -digits));
    EXPECT_EQ(Tensor::Of<double>({}, {most}).Cast(type).ToDoubles()[0], most);
  }
}

// Source of the numbers: any table of the normal distribution.
TEST(NormalOf, IsTheQuantile) {
  EXPECT_EQ(NormalQuantile(0.5), 0);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.01), -2.3263478740408408, 1e-14);
  EXPECT_NEAR(NormalQuantile(1e-9), -5.9978070150076865, 1e-13);
  EXPECT_NEAR(NormalQuantile(1e-15), -7.941345326170998, 1e-13);
  for (const double x : {0.0001, 0.03, 0.0749, 0.0751, 0.3, 0.4999})
    EXPECT_NEAR(std::erfc(-NormalQuantile(x) / std::sqrt(2)) / 2, x, 1e-14);
  EXPECT_LT(std::abs(NormalOf(0)), 8.3);
  EXPECT_EQ(NormalOf(~uint64_t{0}), -NormalOf(0));
}

TEST(NormalOf, HasTheMomentsOfTheDistribution) {
  const std::vector<uint64_t> bits = Bits(KeyOfSeed(2), {200000});
  double moments[5] = {};
  for (const uint64_t one : bits)
    for (int m = 1; m <= 4; ++m) moments[m] += std::pow(NormalOf(one), m) / 200000;
  const double expected[] = {0, 0, 1, 0, 3};
  const double variance[] = {0, 1, 2, 15, 96};
  for (int m = 1; m <= 4; ++m)
    EXPECT_NEAR(moments[m], expected[m], kDeviations * std::sqrt(variance[m] / 200000)) << m;
}

TEST(Keys, DifferBySeedAndByName) {
  const auto same = [](PhiloxKey a, PhiloxKey b) { return a.low == b.low && a.high == b.high; };
  EXPECT_FALSE(same(KeyOfSeed(0), KeyOfSeed(1)));
  EXPECT_FALSE(same(KeyOfSeed(1), KeyOfSeed(uint64_t{1} << 32)));
  EXPECT_FALSE(same(KeyOfName("a"), KeyOfName("b")));
  EXPECT_TRUE(same(KeyOfName("a"), KeyOfName("a")));
}

}  // namespace
}  // namespace metadist
