// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace metadist {
namespace {

TEST(Shape, BroadcastsAsNumPy) {
  EXPECT_EQ(Broadcast({4, 1, 6}, {5, 1}).value(), (Shape{4, 5, 6}));
  EXPECT_EQ(Broadcast({}, {2, 3}).value(), (Shape{2, 3}));
  EXPECT_EQ(Broadcast({2, 3}, {4, 3}).error().message, "shapes [2,3] and [4,3] do not broadcast");
}

TEST(Shape, RefusesHostileSizes) {
  EXPECT_EQ(CheckedElements({2, 3}, ElementType::kF32).value(), 6);
  EXPECT_EQ(CheckedElements({0, int64_t{1} << 62, 8}, ElementType::kF32).value(), 0);
  EXPECT_FALSE(CheckedElements({int64_t{1} << 32, int64_t{1} << 31}, ElementType::kF32).ok());
  EXPECT_FALSE(CheckedElements({-3}, ElementType::kF32).ok());
}

TEST(Tensor, CastsWithoutUndefinedBehaviour) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor wild = Tensor::Of<double>({5}, {1.9, -1.9, infinity, -infinity, std::nan("")});
  EXPECT_EQ(
      wild.Cast(ElementType::kI64).ToInts(),
      (std::vector<int64_t>{
          1, -1, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 0}));
  EXPECT_EQ(Tensor::Of<int64_t>({2}, {300, -1}).Cast(ElementType::kU8).ToInts(),
            (std::vector<int64_t>{44, 255}));
  EXPECT_EQ(Tensor::Of<float>({3}, {0.0f, 0.5f, -2.0f}).Cast(ElementType::kBool).ToInts(),
            (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(
      Tensor::Of<float>({1}, {1.0f}).Cast(ElementType::kF16).Cast(ElementType::kF32).ToDoubles(),
      (std::vector<double>{1.0}));
}

TEST(Tensor, CopiesShareBytesAndClonesDoNot) {
  const Tensor a = Tensor::Of<float>({2}, {1, 2});
  const Tensor b = a.Reshaped({1, 2});
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_NE(a.bytes(), a.Clone().bytes());
  EXPECT_TRUE(Identical(a, a.Clone()));
  EXPECT_FALSE(Identical(a, b));
}

TEST(Tensor, AbsentDataKeepsItsType) {
  const Tensor absent = Tensor::Absent({ElementType::kF16, {int64_t{1} << 40}});
  EXPECT_FALSE(absent.has_data());
  EXPECT_EQ(absent.size(), int64_t{1} << 40);
  EXPECT_FALSE(absent.Cast(ElementType::kF32).has_data());
}

}  // namespace
}  // namespace metadist
