// SPDX-License-Identifier: Apache-2.0
#include "profiles/priced.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

TEST(Priced, SumKeepsTheWorstAndTheShares) {
  Priced sum;
  sum += MakePriced(3, Provenance::kMeasured, Reach::kInterpolated, 0.05);
  sum += MakePriced(1, Provenance::kAnalytic, Reach::kExact, 0.35);
  EXPECT_DOUBLE_EQ(sum.seconds, 4);
  EXPECT_EQ(sum.provenance, Provenance::kAnalytic);
  EXPECT_EQ(sum.reach, Reach::kInterpolated);
  EXPECT_DOUBLE_EQ(sum.share(Provenance::kMeasured), 0.75);
  EXPECT_DOUBLE_EQ(sum.share(Provenance::kBorrowed), 0);
  EXPECT_DOUBLE_EQ(sum.share(Provenance::kAnalytic), 0.25);
  EXPECT_DOUBLE_EQ(sum.band, (3 * 0.05 + 0.35) / 4);
}

TEST(Priced, NothingSpoilsNoEvidence) {
  Priced sum = MakePriced(2, Provenance::kMeasured, Reach::kExact, 0.03);
  sum += MakePriced(0, Provenance::kAnalytic, Reach::kTransferred, 0.5);
  EXPECT_EQ(sum.provenance, Provenance::kMeasured);
  EXPECT_EQ(sum.reach, Reach::kExact);
  EXPECT_DOUBLE_EQ(sum.band, 0.03);
  EXPECT_DOUBLE_EQ(Priced{}.share(Provenance::kMeasured), 0);
}

TEST(Priced, RepetitionScalesSecondsOnly) {
  const Priced twice = MakePriced(2, Provenance::kBorrowed, Reach::kExact, 0.15) * 2;
  EXPECT_DOUBLE_EQ(twice.seconds, 4);
  EXPECT_DOUBLE_EQ(twice.share(Provenance::kBorrowed), 1);
  EXPECT_DOUBLE_EQ(twice.band, 0.15);
}

TEST(Priced, TheSlowerOfTwoCounts) {
  const Priced fast = MakePriced(1, Provenance::kAnalytic, Reach::kExact, 0.35);
  const Priced slow = MakePriced(2, Provenance::kMeasured, Reach::kExact, 0.03);
  EXPECT_EQ(Slower(fast, slow).provenance, Provenance::kMeasured);
  EXPECT_EQ(Slower(slow, fast).provenance, Provenance::kMeasured);
}

}  // namespace
}  // namespace metadist
