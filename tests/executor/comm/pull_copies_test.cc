// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/pull_copies.h"

#include <gtest/gtest.h>

#include <numeric>

namespace metadist {
namespace {

// What the copies write to the destination, -1 if they write nothing.
std::vector<int32_t> Copied(const Pull& pull, size_t copies) {
  std::vector<int32_t> from(static_cast<size_t>(NumElements(pull.source_shape)));
  std::vector<int32_t> to(static_cast<size_t>(NumElements(pull.shape)), -1);
  std::iota(from.begin(), from.end(), 0);
  const auto made = CopiesOf(pull, ElementType::kI32);
  EXPECT_EQ(made.size(), copies);
  for (const cpu::StridedCopy& copy : made)
    copy.Run(reinterpret_cast<const std::byte*>(from.data()),
             reinterpret_cast<std::byte*>(to.data()));
  return to;
}

TEST(PullCopies, EvenlySpacedRunsAreOneCopy) {
  // Elements 0, 2, 4 of the source to 1, 2, 3.
  const Pull pull{{0}, {{{0, 1, 1}, {2, 2, 1}, {4, 3, 1}}}, {6}, {4}, {}};
  EXPECT_EQ(Copied(pull, 1), (std::vector<int32_t>{-1, 0, 2, 4}));
}

TEST(PullCopies, ASizeOrSpacingOfItsOwnIsAnotherCopy) {
  const Pull sizes{{0}, {{{0, 0, 2}, {3, 2, 2}, {6, 4, 1}}}, {7}, {5}, {}};
  EXPECT_EQ(Copied(sizes, 2), (std::vector<int32_t>{0, 1, 3, 4, 6}));
  const Pull spacing{{0}, {{{0, 0, 1}, {1, 2, 1}, {3, 4, 1}}}, {4}, {5}, {}};
  EXPECT_EQ(Copied(spacing, 2), (std::vector<int32_t>{0, -1, 1, -1, 3}));
}

TEST(PullCopies, DimsAreCombined) {
  // Rows {0, 1} and {2} of a [3, 2] array, its column 1, into column 0 of [3, 1].
  const Pull pull{{0}, {{{0, 1, 2}, {2, 0, 1}}, {{1, 0, 1}}}, {3, 2}, {3, 1}, {}};
  EXPECT_EQ(Copied(pull, 2), (std::vector<int32_t>{5, 1, 3}));
}

TEST(PullCopies, ManyIrregularRunsAreLeftToTheWalk) {
  Pull pull{{0}, {{}}, {100000}, {2000}, {}};
  for (int64_t i = 0; i < 300; ++i) pull.runs[0].push_back({i * i, 2 * i, 1 + i % 2});
  EXPECT_TRUE(CopiesOf(pull, ElementType::kI32).empty());
}

TEST(PullCopies, AScalarIsOneCopy) {
  const Pull pull{{0}, {}, {}, {}, {}};
  EXPECT_EQ(Copied(pull, 1), (std::vector<int32_t>{0}));
}

}  // namespace
}  // namespace metadist
