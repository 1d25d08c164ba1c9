// SPDX-License-Identifier: Apache-2.0
#include "profiles/nccl_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiles/cluster.h"

namespace metadist {
namespace {

using enum Collective;

NcclFabric EightHopper() {
  NcclFabric fabric;
  fabric.ranks = 8;
  fabric.inside_bus = 360;
  return fabric;
}

TEST(NcclModel, SmallestRingIsBasePlusHops) {
  // LL ring: 6.6 + 7 hops of 0.6.
  EXPECT_NEAR(NcclSeconds(EightHopper(), kAllGather, 8).latency_us, 6.6 + 7 * 0.6, 1e-9);
  // All-reduce: the ring makes 14 hops, 15.0; the tree 6.8 + 14 x 0.6 = 15.2.
  EXPECT_NEAR(NcclSeconds(EightHopper(), kAllReduce, 8).latency_us, 15.0, 1e-9);
}

TEST(NcclModel, LargestRingFillsTheBus) {
  const int64_t bytes = int64_t{1} << 34;
  const NcclTime time = NcclSeconds(EightHopper(), kReduceScatter, bytes);
  EXPECT_NEAR(static_cast<double>(bytes) / time.transfer_us / 1e3 * 7 / 8, 360, 1e-6);
}

TEST(NcclModel, TreesWinOverManyNodes) {
  NcclFabric fabric = EightHopper();
  fabric.ranks = 1024;
  fabric.nodes = 128;
  fabric.wire_bus = 384;
  // 6.8 + 2 (7 x 0.6 + 7 x 5); a ring would make 2046 hops.
  EXPECT_NEAR(NcclSeconds(fabric, kAllReduce, 8).latency_us, 85.2, 1e-9);
  EXPECT_GT(NcclSeconds(fabric, kAllGather, 8).latency_us, 1000);
}

TEST(NcclModel, TwoNodesTakeThePairRate) {
  NcclFabric fabric = EightHopper();
  fabric.ranks = 2;
  fabric.nodes = 2;
  fabric.wire_bus = 48;
  const int64_t bytes = int64_t{1} << 34;
  const NcclTime ring = NcclSeconds(fabric, kAllReduce, bytes);
  EXPECT_NEAR(static_cast<double>(bytes) / ring.transfer_us / 1e3, 48, 1e-6);
  fabric.ranks = 4;
  fabric.wire_bus = fabric.pair_rate = 96;
  const NcclTime pair = NcclSeconds(fabric, kAllReduce, bytes);
  EXPECT_NEAR(static_cast<double>(bytes) / pair.transfer_us / 1e3, 96, 1e-6);
}

TEST(NcclModel, KnowsGenerationsByTheirLinks) {
  EXPECT_EQ(GenerationOf(900e9), NcclGeneration::kBlackwell);
  EXPECT_EQ(GenerationOf(450e9), NcclGeneration::kHopper);
  EXPECT_EQ(GenerationOf(300e9), NcclGeneration::kAmpere);
  EXPECT_EQ(GenerationOf(150e9), NcclGeneration::kVolta);
}

double MeanError(const char* name, Collective op, double inside_bus, int64_t from, int64_t to) {
  const auto profile = BuiltinProfile(name).value();
  NcclFabric fabric;
  fabric.generation = GenerationOf(profile->device.link_bytes_per_second);
  fabric.ranks = 8;
  fabric.inside_bus = inside_bus;
  double sum = 0;
  int count = 0;
  for (const auto& [bytes, sample] : profile->collectives.at({op, "f16", 8, 1, 8, 1, false})) {
    if (bytes < from || bytes > to) continue;
    sum += std::abs(NcclSeconds(fabric, op, bytes).total_us() / sample.time_us - 1) * 100;
    ++count;
  }
  return sum / count;
}

// Mean error in percent of the unfitted model against rows of 8 devices: up to 32 KiB, from 64 KiB
// to 8 MiB, from 16 MiB. The bounds are the errors of an independent implementation plus 1 point.
TEST(NcclModel, UnfittedErrorOnOneNode) {
  const struct {
    const char* name;
    Collective op;
    double bus, small, middle, large;
  } kCases[] = {
      {"h100", kAllGather, 360, 5, 9, 6},
      {"h100", kReduceScatter, 360, 4, 14, 4},
      {"h100", kAllReduce, 360, 8, 9, 16},
      {"a100", kAllGather, 240, 30, 25, 22},
      {"a100", kAllReduce, 240, 32, 19, 12},
      {"a100", kReduceScatter, 240, 29, 21, 17},
  };
  for (const auto& one : kCases) {
    const double small = MeanError(one.name, one.op, one.bus, 0, 32 << 10);
    const double middle = MeanError(one.name, one.op, one.bus, 64 << 10, 8 << 20);
    const double large = MeanError(one.name, one.op, one.bus, 16 << 20, int64_t{1} << 40);
    EXPECT_LE(small, one.small + 1) << one.name << " " << Name(one.op);
    EXPECT_LE(middle, one.middle + 1) << one.name << " " << Name(one.op);
    EXPECT_LE(large, one.large + 1) << one.name << " " << Name(one.op);
  }
}

}  // namespace
}  // namespace metadist
