// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "metair/ir/tensor.h"

namespace metadist {
namespace {

TEST(Reduce, EveryOperation) {
  const auto reduce = [](std::vector<int32_t> a, std::vector<int32_t> b, ReduceOp op) {
    std::vector<int32_t> out(a.size());
    const void* in[] = {a.data(), b.data()};
    Reduce(
        in, out.data(), static_cast<int64_t>(a.size()), ElementType::kI32, ElementType::kI32, op);
    return out;
  };
  using V = std::vector<int32_t>;
  EXPECT_EQ(reduce({1, INT32_MAX}, {2, 1}, ReduceOp::kSum), (V{3, INT32_MIN}));
  EXPECT_EQ(reduce({3, -4}, {2, 5}, ReduceOp::kProd), (V{6, -20}));
  EXPECT_EQ(reduce({3, -4}, {2, 5}, ReduceOp::kMax), (V{3, 5}));
  EXPECT_EQ(reduce({3, -4}, {2, 5}, ReduceOp::kMin), (V{2, -4}));
  EXPECT_EQ(reduce({6, 1}, {3, 0}, ReduceOp::kAnd), (V{2, 0}));
  EXPECT_EQ(reduce({6, 1}, {3, 0}, ReduceOp::kOr), (V{7, 1}));
}

TEST(Reduce, WhatIsNoNumberStaysInMaximaAndMinima) {
  const float nan = std::nanf("");
  const std::vector<float> a = {nan, 1, 2}, b = {1, nan, 3};
  const void* in[] = {a.data(), b.data()};
  for (const ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
    std::vector<float> out(3);
    Reduce(in, out.data(), 3, ElementType::kF32, ElementType::kF32, op);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1])) << Name(op);
    EXPECT_EQ(out[2], op == ReduceOp::kMax ? 3 : 2);
  }
}

TEST(Reduce, IdentityLeavesTheOtherOperand) {
  for (ReduceOp op : {ReduceOp::kSum,
                      ReduceOp::kProd,
                      ReduceOp::kMax,
                      ReduceOp::kMin,
                      ReduceOp::kAnd,
                      ReduceOp::kOr})
    for (ElementType type : {ElementType::kF32,
                             ElementType::kF16,
                             ElementType::kI8,
                             ElementType::kU64,
                             ElementType::kBool}) {
      const Tensor x = Tensor::Of<float>({4}, {0, 1, 1, 0}).Cast(type);
      Tensor identity = Tensor::Zeros(x.type());
      FillIdentity(identity.mutable_bytes(), 4, type, op);
      Tensor out = Tensor::Zeros(x.type());
      const void* in[] = {identity.bytes(), x.bytes()};
      Reduce(in, out.mutable_bytes(), 4, type, type, op);
      EXPECT_TRUE(Identical(x, out)) << Name(op) << " of " << Name(type);
    }
}

}  // namespace
}  // namespace metadist
