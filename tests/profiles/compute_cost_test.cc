// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "profiles/cost.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

// Two cores, 10 GB/s, 1 GFLOP/s outside products, 100 GFLOP/s for products.
Profile Machine() {
  Profile profile;
  profile.header.name = "cpu";
  profile.header.kind = "cpu";
  profile.header.device_model = "test";
  profile.header.devices_per_node = 2;
  profile.header.cores = 2;
  profile.origins["here"] = {Provenance::kMeasured, "test", "own", "", false};
  profile.device.memory_bytes = 1 << 30;
  profile.device.memory_bytes_per_second = 10e9;
  profile.device.contraction_flops_per_second = {{"f32", 100e9}};
  profile.device.vector_flops_per_second = {{"f32", 1e9}};
  profile.device.origin = "here";
  profile.stream[1000] = {1, 0, 0, 0, 0, 0, "here"};
  profile.stream[1001000] = {101, 0, 0, 0, 0, 0, "here"};
  profile.contractions[{"f32", 1, 100, 100}][100] = {40, 0, 0, 0, 0, 0, "here"};
  return profile;
}

ComputeWork Elementwise(int64_t bytes, int64_t flops) {
  ComputeWork work;
  work.bytes = bytes;
  work.flops = flops;
  return work;
}

ComputeWork Product() {
  ComputeWork work = Elementwise(120000, 2000000);
  work.batch = 1;
  work.m = work.n = work.k = 100;
  return work;
}

TEST(ComputeCost, NothingCostsNothing) {
  EXPECT_EQ(ComputeSeconds(Machine(), ComputeWork{}).seconds, 0);
}

TEST(ComputeCost, MemoryBoundWorkTakesACopy) {
  const Priced price = ComputeSeconds(Machine(), Elementwise(501000, 100));
  EXPECT_NEAR(price.seconds, 51e-6, 1e-12);
  EXPECT_EQ(price.provenance, Provenance::kMeasured);
  EXPECT_EQ(price.reach, Reach::kInterpolated);
}

// 1,000 elements of 12 bytes cost 3 us; 10,000 cost 60 us alone and 30 us in ten blocks.
TEST(ComputeCost, FusedWorkRunsInBlocks) {
  Profile profile = Machine();
  Series& rows = profile.kernels[{"Add", "f32"}];
  rows[12000] = {3, 0, 0, 0, 0, 0, "here"};
  rows[120000] = {60, 0, 0, 0, 0, 0, "here"};
  ComputeWork work = Elementwise(120000, 10000);
  work.op = "Add";
  work.fused_elements = 10000;
  work.outside_bytes = 40000;
  const auto microseconds = [&] { return ComputeSeconds(profile, work).seconds * 1e6; };
  EXPECT_NEAR(microseconds(), 60, 1e-9) << "the device does not fuse";
  profile.factors[kFusedBlockElements] = {1000, "here"};
  EXPECT_NEAR(microseconds(), 30, 1e-9);
  work.outside_bytes = 501000;
  EXPECT_NEAR(microseconds(), 51, 1e-9) << "what goes to memory takes a copy";
  work.outside_bytes = 1001000;
  EXPECT_NEAR(microseconds(), 60, 1e-9) << "never worse than alone";
  work.outside_bytes = 0;
  work.fused_elements = 1000;
  EXPECT_NEAR(microseconds(), 60, 1e-9) << "one block";
  work.fused_elements = 0;
  EXPECT_NEAR(microseconds(), 60, 1e-9) << "it runs alone";
}

TEST(ComputeCost, ArithmeticCountsWhereItIsSlower) {
  EXPECT_NEAR(ComputeSeconds(Machine(), Elementwise(501000, 1000000)).seconds, 1e-3, 1e-12);
}

TEST(ComputeCost, ArithmeticIsMeasuredOnlyWhereTheDeviceIs) {
  Profile profile = Machine();
  const ComputeWork work = Elementwise(501000, 1000000);
  for (const Provenance provenance : {Provenance::kMeasured, Provenance::kBorrowed}) {
    profile.origins[profile.device.origin].provenance = provenance;
    EXPECT_EQ(ComputeSeconds(profile, work).provenance,
              provenance == Provenance::kMeasured ? provenance : Provenance::kAnalytic);
  }
}

TEST(ComputeCost, RowsOfTheOperatorStandAboveTheCopy) {
  Profile profile = Machine();
  profile.kernels[{"Softmax", "f32"}][501000] = {333, 0, 0, 0, 0, 0, "here"};
  ComputeWork work = Elementwise(501000, 0);
  work.op = "Softmax";
  EXPECT_NEAR(ComputeSeconds(profile, work).seconds, 333e-6, 1e-12);
  work.dtype = ElementType::kF64;
  EXPECT_NEAR(ComputeSeconds(profile, work).seconds, 51e-6, 1e-12);
}

TEST(ComputeCost, LaunchIsAddedAndTheFloorHolds) {
  Profile profile = Machine();
  profile.factors[kLaunchSeconds] = {5e-6, "here"};
  EXPECT_NEAR(ComputeSeconds(profile, Product()).seconds, 45e-6, 1e-12);
  profile.factors[kKernelFloorSeconds] = {1e-3, "here"};
  EXPECT_NEAR(ComputeSeconds(profile, Product()).seconds, 1e-3, 1e-12);
  EXPECT_NEAR(ComputeSeconds(profile, Product()).share(Provenance::kMeasured), 1, 1e-12);
}

TEST(ComputeCost, WithoutStreamRowsAFormulaHolds) {
  Profile profile = Machine();
  profile.stream.clear();
  const Priced price = ComputeSeconds(profile, Elementwise(8000000, 0));
  EXPECT_NEAR(price.seconds, 3e-6 + 8e6 / 8e9, 1e-12);
  EXPECT_EQ(price.provenance, Provenance::kAnalytic);
  EXPECT_NEAR(price.band, 0.35, 1e-12);
}

double SlowdownOf(const Profile& profile, int ranks, const ComputeWork& work) {
  const Cluster cluster = MakeCluster("x", std::make_shared<const Profile>(profile), 1, ranks);
  return ComputeSeconds(cluster, work).seconds / ComputeSeconds(profile, work).seconds;
}

TEST(ComputeCost, RanksShareCores) {
  Profile profile = Machine();
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 1, Product()), 1);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 2, Product()), 1);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 3, Product()), 1.5);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 4, Product()), 2);
  profile.factors[kOversubscription] = {1.1, "here"};
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 4, Product()), 2.2);
}

TEST(ComputeCost, MeasuredSlowdownsStandAboveTheRatio) {
  Profile profile = Machine();
  profile.factors[std::string(kSlowdownStream) + "2"] = {1.6, "here"};
  profile.factors[std::string(kSlowdownStream) + "4"] = {3.0, "here"};
  const ComputeWork copy = Elementwise(501000, 0);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 2, copy), 1.6);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 3, copy), 2.3);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 4, copy), 3.0);
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 8, copy), 6.0);
  // The slowdown of products is a separate factor.
  EXPECT_DOUBLE_EQ(SlowdownOf(profile, 2, Product()), 1);
}

TEST(ComputeCost, DevicesOfTheirOwnDoNotShare) {
  const Cluster eight = ResolveCluster("8xh100").value();
  EXPECT_DOUBLE_EQ(ComputeSeconds(eight, Product()).seconds,
                   ComputeSeconds(*eight.profile, Product()).seconds);
}

// Data sheet rate of H100: the default formula is 3 us + bytes / (0.8 x 3.35 TB/s).
TEST(ComputeCost, BuiltInMemoryBoundLaw) {
  const Cluster one = ResolveCluster("1xh100").value();
  EXPECT_NEAR(ComputeSeconds(one, Elementwise(268000000, 0)).seconds, 103e-6, 1e-9);
  EXPECT_GE(ComputeSeconds(one, Elementwise(4, 1)).seconds, 2e-6);
}

// Rows of exactly this call take precedence over everything and include the launch. For another
// number of active ranks, the nearest smaller one is slowed down; beyond the cores, ranks take
// turns.
TEST(ComputeCost, RowsOfTheVeryCallStandAboveAll) {
  Profile profile = Machine();
  profile.factors[kLaunchSeconds] = {1e-6, "here"};
  profile.factors[std::string(kSlowdownStream) + "2"] = {1.5, "here"};
  profile.calls["Slice f32[8]"][1] = {30, 0, 0, 0, 0, 0, "here"};
  ComputeWork work = Elementwise(501000, 100);
  work.call = "Slice f32[8]";
  auto on = [&](int ranks) {
    const auto shared = std::make_shared<const Profile>(profile);
    return ComputeSeconds(MakeCluster("test", shared, 1, ranks), work);
  };
  EXPECT_NEAR(on(1).seconds, 30e-6, 1e-12);
  EXPECT_EQ(on(1).reach, Reach::kExact);
  EXPECT_NEAR(on(2).seconds, 45e-6, 1e-12);
  EXPECT_EQ(on(2).reach, Reach::kTransferred);
  profile.calls["Slice f32[8]"][2] = {33, 0, 0, 0, 0, 0, "here"};
  EXPECT_NEAR(on(2).seconds, 33e-6, 1e-12);
  profile.calls["Slice f32[8]"][4] = {31, 0, 0, 0, 0, 0, "here"};
  EXPECT_NEAR(on(4).seconds, 62e-6, 1e-12);
  work.call = "Slice f32[9]";
  EXPECT_NEAR(on(1).seconds, 52e-6, 1e-12);
}

TEST(StepCost, IsThatOfTheNearestNumberOfRanks) {
  Profile profile = Machine();
  profile.factors[std::string(kStepSeconds) + "2"] = {1e-6, "here"};
  profile.factors[std::string(kStepSeconds) + "4"] = {20e-6, "here"};
  const auto shared = std::make_shared<const Profile>(profile);
  EXPECT_EQ(StepSeconds(MakeCluster("test", shared, 1, 1)).seconds, 0);
  EXPECT_EQ(StepSeconds(MakeCluster("test", shared, 1, 2)).seconds, 1e-6);
  EXPECT_EQ(StepSeconds(MakeCluster("test", shared, 1, 8)).seconds, 20e-6);
  EXPECT_EQ(StepSeconds(ResolveCluster("8xh100").value()).seconds, 0);
}

}  // namespace
}  // namespace metadist
