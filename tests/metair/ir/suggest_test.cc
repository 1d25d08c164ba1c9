// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/suggest.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string> names = {"Softmax", "Reshape", "MatMul", "ReduceMean"};
  EXPECT_EQ(Nearest("SoftMax", names), "Softmax");
  EXPECT_EQ(Nearest("Rehsape", names), "Reshape");
  EXPECT_EQ(Nearest("Matmull", names), "MatMul");
  EXPECT_EQ(Nearest("Conv", names), "");
  EXPECT_EQ(DidYouMean("softmx", names), "did you mean 'Softmax'?");
  EXPECT_EQ(DidYouMean("x", {}), "");
}

}  // namespace
}  // namespace metadist
