// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/arrays.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

TEST(Arrays, PiecesAreTakenPutAndCompared) {
  const Tensor whole = Tensor::Of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<int64_t> ends{0, 2};
  const Tensor piece = Take(whole, 1, ends);
  EXPECT_EQ(piece.ToDoubles(), (std::vector<double>{1, 3, 4, 6}));
  EXPECT_TRUE(CloseAt(piece, whole, 1, ends, 0));
  Tensor other = Tensor::Zeros(whole.type());
  Put(other, 1, ends, piece);
  EXPECT_EQ(other.ToDoubles(), (std::vector<double>{1, 0, 3, 4, 0, 6}));
}

// The array does not have these elements, so no piece equals them.
TEST(Arrays, NothingEqualsWhatLiesBeyond) {
  const Tensor whole = Tensor::Of<double>({3}, {1, 2, 3});
  const Tensor piece = Tensor::Of<double>({2}, {3, 0});
  for (const std::vector<int64_t>& beyond : {std::vector<int64_t>{2, 3}, {3, 4}, {-1, 0}})
    EXPECT_FALSE(CloseAt(piece, whole, 0, beyond, 1e300));
}

TEST(ArraysDeathTest, IndicesLieWithinTheDim) {
  const Tensor whole = Tensor::Of<double>({3}, {1, 2, 3});
  const std::vector<int64_t> beyond{2, 3};
  EXPECT_DEATH(Take(whole, 0, beyond), "an index is beyond the dim");
  Tensor to = whole.Clone();
  EXPECT_DEATH(Put(to, 0, beyond, Tensor::Of<double>({2}, {1, 2})), "an index is beyond the dim");
  EXPECT_DEATH(Put(to, 0, beyond, whole), "one place of the piece for each index");
}

}  // namespace
}  // namespace metadist
