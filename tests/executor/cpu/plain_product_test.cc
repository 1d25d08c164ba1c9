// SPDX-License-Identifier: Apache-2.0
// Products without a library, compared with sums in f64, on numbers whose sums are exact.
#include "executor/cpu/plain_product.h"

#include <gtest/gtest.h>

#include <vector>

namespace metadist::cpu {
namespace {

std::vector<float> Numbers(int64_t count, int64_t step) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i * step % 13 - 6));
  return numbers;
}

// gives_scratch: as much as the product needs within the limit; otherwise none.
void Check(PlainProduct q, int64_t limit, bool gives_scratch = true) {
  const std::vector<float> a = Numbers(q.m * q.k, 5);
  const std::vector<float> b = Numbers(q.k * q.n, 7);
  const std::vector<float> before = Numbers(q.m * q.n, 3);
  std::vector<float> y = before;
  const int64_t bytes = q.ScratchBytes(limit);
  EXPECT_LE(bytes, std::max<int64_t>(limit, 1024));
  std::vector<float> scratch(static_cast<size_t>(bytes / 4), 1e30f);
  q.Run(a.data(), b.data(), y.data(), scratch.data(), gives_scratch ? bytes : 0);
  for (int64_t i = 0; i < q.m; ++i)
    for (int64_t j = 0; j < q.n; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < q.k; ++c)
        sum += a[static_cast<size_t>(i * q.a_row + c * q.a_column)] *
               b[static_cast<size_t>(c * q.b_row + j * q.b_column)];
      const auto at = static_cast<size_t>(i * q.n + j);
      ASSERT_EQ(y[at], q.alpha * sum + q.beta * before[at])
          << q.m << " x " << q.n << " x " << q.k << " at " << i << ", " << j;
    }
}

TEST(PlainProduct, EveryLayoutAndRemainder) {
  for (int64_t m : {1, 3, 8, 21})
    for (int64_t n : {1, 15, 16, 33, 64, 70})
      for (int64_t k : {1, 16, 45})
        for (int layout = 0; layout < 4; ++layout)
          for (float beta : {0.0f, 2.0f}) {
            PlainProduct q{.m = m, .n = n, .k = k, .alpha = 0.5f, .beta = beta};
            q.a_row = layout & 1 ? 1 : k;
            q.a_column = layout & 1 ? m : 1;
            q.b_row = layout & 2 ? 1 : n;
            q.b_column = layout & 2 ? k : 1;
            Check(q, /*limit=*/0);
            Check(q, /*limit=*/1 << 20);
            Check(q, /*limit=*/0, /*gives_scratch=*/false);
          }
}

TEST(PlainProduct, RowsFarApart) {
  for (int64_t n : {512, 600}) {
    const PlainProduct q{.m = 20, .n = n, .k = 70, .a_row = 70, .b_row = n};
    EXPECT_GT(q.ScratchBytes(1 << 20), 0);
    Check(q, /*limit=*/1 << 20);
    Check(q, /*limit=*/1 << 20, /*gives_scratch=*/false);
  }
}

TEST(PlainProduct, OneRowNeedsNoScratch) {
  const PlainProduct transposed{
      .m = 1, .n = 256, .k = 256, .a_row = 256, .b_row = 1, .b_column = 256};
  EXPECT_EQ(transposed.ScratchBytes(1 << 20), 0);
  const PlainProduct plain{.m = 1, .n = 256, .k = 256, .a_row = 256, .b_row = 256};
  EXPECT_EQ(plain.ScratchBytes(1 << 20), 0);
}

}  // namespace
}  // namespace metadist::cpu
