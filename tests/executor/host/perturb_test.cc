// SPDX-License-Identifier: Apache-2.0
#include "executor/host/perturb.h"

#include <gtest/gtest.h>

#include <cmath>

namespace metadist {
namespace {

Tensor Ramp(ElementType element) {
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back((i - 20) * 0.37);
  return Tensor::Of<double>({60}, values).Cast(element);
}

TEST(Perturb, FloatsMoveByARounding) {
  const std::pair<ElementType, double> units[] = {{ElementType::kF64, 0x1p-52},
                                                  {ElementType::kF32, 0x1p-23},
                                                  {ElementType::kF16, 0x1p-10},
                                                  {ElementType::kBF16, 0x1p-7}};
  for (const auto& [element, unit] : units) {
    const Tensor x = Ramp(element);
    const std::vector<double> a = x.ToDoubles();
    const std::vector<double> b = Perturbed(x, 1).ToDoubles();
    int moved = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_LE(std::abs(b[i] - a[i]), 1.5 * unit * std::abs(a[i])) << Name(element);
      moved += a[i] != b[i] ? 1 : 0;
    }
    EXPECT_GT(moved, 20) << Name(element);
    EXPECT_LT(moved, 60) << Name(element);
    EXPECT_TRUE(Identical(Perturbed(x, 1), Perturbed(x, 1)));
    EXPECT_FALSE(Identical(Perturbed(x, 1), Perturbed(x, 2)));
  }
}

TEST(Perturb, WholeNumbersStayWhereFractionsMove) {
  const Tensor x = Tensor::Of<float>({6}, {2, 0.3F, -1, 0.7F, 0, 1e30F});
  bool moved = false;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<double> y = Perturbed(x, seed, PerturbedNumbers::kFractions).ToDoubles();
    for (size_t at : {0, 2, 4, 5}) EXPECT_EQ(y[at], x.ToDoubles()[at]);
    moved = moved || (y[1] != x.ToDoubles()[1] && y[3] != x.ToDoubles()[3]);
  }
  EXPECT_TRUE(moved);
}

TEST(Perturb, OtherTypesStay) {
  for (const ElementType element :
       {ElementType::kI64, ElementType::kU8, ElementType::kBool, ElementType::kF8E4M3FN}) {
    const Tensor x = Ramp(element);
    EXPECT_TRUE(Identical(Perturbed(x, 1), x)) << Name(element);
  }
  EXPECT_FALSE(Perturbed(Tensor::Absent({ElementType::kF32, {3}}), 1).has_data());
}

}  // namespace
}  // namespace metadist
