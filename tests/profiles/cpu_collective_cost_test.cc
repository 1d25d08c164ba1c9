// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "profiles/cost.h"

namespace metadist {
namespace {

using enum Collective;

// Two cores; an all-reduce of 2 ranks takes 1 us + 1 us per 1000 bytes, of 4 ranks 10 + 4, of 8
// ranks 20 + 8.
Profile Machine() {
  Profile profile;
  profile.header.kind = "cpu";
  profile.header.devices_per_node = 8;
  profile.header.cores = 2;
  profile.origins["here"] = {Provenance::kMeasured, "test", "own", "", false};
  profile.device.memory_bytes = 1 << 30;
  profile.device.memory_bytes_per_second = 10e9;
  const struct {
    int ranks;
    double latency, per_kilobyte;
  } kRows[] = {{2, 1, 1}, {4, 10, 4}, {8, 20, 8}};
  for (const auto& row : kRows) {
    Series& series = profile.collectives[{kAllReduce, "f32", row.ranks, 1, row.ranks, 1, false}];
    for (const int64_t bytes : {1000, 1000000}) {
      Sample sample;
      sample.time_us = row.latency + row.per_kilobyte * static_cast<double>(bytes) / 1000;
      sample.origin = "here";
      series[bytes] = sample;
    }
  }
  return profile;
}

Priced Price(const Profile& profile, Collective op, int ranks, int concurrent, int64_t bytes) {
  const Cluster cluster =
      MakeCluster("x", std::make_shared<const Profile>(profile), 1, ranks * concurrent);
  return CollectiveSeconds(
      cluster, op, {ranks, 1, ranks, concurrent, false}, bytes, ElementType::kF32);
}

TEST(CpuCollective, ReadsItsRows) {
  const Priced price = Price(Machine(), kAllReduce, 4, 1, 500000);
  EXPECT_NEAR(price.seconds, 2010e-6, 1e-12);
  EXPECT_EQ(price.provenance, Provenance::kMeasured);
  EXPECT_EQ(price.reach, Reach::kInterpolated);
}

TEST(CpuCollective, LiesBetweenItsNeighboursOnTheSameSideOfTheCores) {
  EXPECT_NEAR(Price(Machine(), kAllReduce, 6, 1, 1000).seconds, (14e-6 + 28e-6) / 2, 1e-12);
  // Three ranks on two cores: the rows of two ranks do not apply; in proportion to four ranks.
  const Priced three = Price(Machine(), kAllReduce, 3, 1, 1000);
  EXPECT_NEAR(three.seconds, 14e-6 * 3 / 4, 1e-12);
  EXPECT_EQ(three.reach, Reach::kTransferred);
  EXPECT_NEAR(Price(Machine(), kAllReduce, 16, 1, 1000).seconds, 56e-6, 1e-12);
}

TEST(CpuCollective, ConcurrentGroupsCountAsBusyRanks) {
  // Two concurrent pairs occupy four ranks on two cores.
  EXPECT_NEAR(Price(Machine(), kAllReduce, 2, 2, 1000).seconds, 14e-6, 1e-12);
  EXPECT_NEAR(Price(Machine(), kAllReduce, 2, 1, 1000).seconds, 2e-6, 1e-12);
  // Unless exactly that was measured.
  Profile profile = Machine();
  Sample sample;
  sample.time_us = 7;
  sample.origin = "here";
  profile.collectives[{kAllReduce, "f32", 2, 1, 2, 2, false}][1000] = sample;
  const Priced price = Price(profile, kAllReduce, 2, 2, 1000);
  EXPECT_NEAR(price.seconds, 7e-6, 1e-12);
  EXPECT_EQ(price.reach, Reach::kExact);
}

TEST(CpuCollective, UsesTheOtherSideLast) {
  Profile profile = Machine();
  profile.collectives.erase({kAllReduce, "f32", 4, 1, 4, 1, false});
  profile.collectives.erase({kAllReduce, "f32", 8, 1, 8, 1, false});
  const Priced price = Price(profile, kAllReduce, 4, 1, 1000);
  EXPECT_NEAR(price.seconds, 4e-6, 1e-12);
  EXPECT_EQ(price.provenance, Provenance::kAnalytic);
}

TEST(CpuCollective, PricesWithoutRows) {
  const Priced price = Price(Machine(), kAllToAll, 4, 1, 1000000);
  // A crowded barrier, and 4 ranks that read and write 3/4 MB each at 8 GB/s.
  EXPECT_NEAR(price.seconds, 5e-6 + 4 * 2 * 750000 / 8e9, 1e-12);
  EXPECT_EQ(price.provenance, Provenance::kAnalytic);
}

}  // namespace
}  // namespace metadist
