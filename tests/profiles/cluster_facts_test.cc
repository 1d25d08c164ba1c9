// SPDX-License-Identifier: Apache-2.0
// Published facts that the built-in clusters must reproduce, whatever rows and formulas are used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "profiles/cost.h"

namespace metadist {
namespace {

using enum Collective;
using enum Provenance;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;

// One published number: bus bandwidth in GB/s or, if `micros`, a time in us.
struct Fact {
  const char* cluster;
  Collective op;
  int nodes;
  int ranks_per_node;
  int64_t bytes;
  double value;
  double tolerance;  // relative
  Provenance provenance;
  bool micros = false;
};

void Check(const Fact& fact) {
  const Cluster cluster = ResolveCluster(fact.cluster).value();
  const int ranks = fact.nodes * fact.ranks_per_node;
  const Group group{ranks, fact.nodes, fact.ranks_per_node, 1, false};
  const Priced price = CollectiveSeconds(cluster, fact.op, group, fact.bytes, ElementType::kF32);
  const double ours = fact.micros ? price.seconds * 1e6
                                  : ReceivedBytes(fact.op, ranks, fact.bytes) / price.seconds / 1e9;
  const std::string what =
      fmt::format("{:14} {:14} {:2} x {:2} {:>11} B  {:8.1f} {}  ours {:8.1f} {:+6.1f} %  {}",
                  fact.cluster,
                  Name(fact.op),
                  fact.nodes,
                  fact.ranks_per_node,
                  fact.bytes,
                  fact.value,
                  fact.micros ? "us  " : "GB/s",
                  ours,
                  100 * (ours / fact.value - 1),
                  Name(price.provenance));
  fmt::print("{}\n", what);
  EXPECT_NEAR(ours / fact.value, 1, fact.tolerance) << what;
  EXPECT_EQ(price.provenance, fact.provenance) << what;
}

void CheckAll(std::initializer_list<Fact> facts) {
  for (const Fact& fact : facts) Check(fact);
}

// us at 512 B and 1 MiB, and GB/s at 512 MiB, for the largest measured group of one node.
TEST(ClusterFacts, RowsOfOneNode) {
  CheckAll({
      {"8xh200", kAllReduce, 1, 8, 512, 16.0, .01, kBorrowed, true},
      {"8xh200", kAllReduce, 1, 8, kMiB, 26.1, .01, kBorrowed, true},
      {"8xh200", kAllReduce, 1, 8, 512 * kMiB, 460, .01, kBorrowed},
      {"8xh200", kAllGather, 1, 8, 512, 12.2, .01, kBorrowed, true},
      {"8xh200", kAllGather, 1, 8, 512 * kMiB, 337, .01, kBorrowed},
      {"8xh200", kReduceScatter, 1, 8, 512 * kMiB, 337, .01, kBorrowed},
      {"8xh200", kAllToAll, 1, 8, 512 * kMiB, 311, .01, kBorrowed},
      {"8xb200", kAllReduce, 1, 8, 512, 25.1, .01, kBorrowed, true},
      {"8xb200", kAllReduce, 1, 8, kMiB, 30.1, .01, kBorrowed, true},
      {"8xb200", kAllReduce, 1, 8, 512 * kMiB, 704, .01, kBorrowed},
      {"8xb200", kAllGather, 1, 8, 512 * kMiB, 617, .01, kBorrowed},
      {"8xb200", kReduceScatter, 1, 8, 512 * kMiB, 613, .01, kBorrowed},
      {"8xb200", kAllToAll, 1, 8, 512 * kMiB, 563, .01, kBorrowed},
      {"4xgb200", kAllReduce, 1, 4, 512, 15.6, .01, kBorrowed, true},
      {"4xgb200", kAllReduce, 1, 4, kMiB, 19.7, .01, kBorrowed, true},
      {"4xgb200", kAllReduce, 1, 4, 512 * kMiB, 628, .01, kBorrowed},
      {"4xgb200", kAllGather, 1, 4, 512 * kMiB, 564, .01, kBorrowed},
      {"4xgb200", kReduceScatter, 1, 4, 512 * kMiB, 549, .01, kBorrowed},
      {"4xgb200", kAllToAll, 1, 4, 512 * kMiB, 488, .01, kBorrowed},
      {"8xl40s", kAllReduce, 1, 8, 512, 22.6, .01, kBorrowed, true},
      {"8xl40s", kAllReduce, 1, 8, kMiB, 863, .01, kBorrowed, true},
      {"8xl40s", kAllReduce, 1, 8, 512 * kMiB, 1.4, .05, kBorrowed},
      {"8xl40s", kAllReduce, 1, 2, 512 * kMiB, 20.1, .01, kBorrowed},
      {"8xl40s", kAllGather, 1, 8, 512 * kMiB, 1.2, .05, kBorrowed},
      {"8xl40s", kReduceScatter, 1, 8, 512 * kMiB, 1.7, .05, kBorrowed},
      {"8xl40s", kAllToAll, 1, 8, 512 * kMiB, 2.0, .05, kBorrowed},
      {"8xrtx4090", kAllReduce, 1, 8, 128 * kMiB, 14.5, .01, kBorrowed},
  });
}

// In-switch reduction needs more than four devices; with it, an all-reduce is not the sum of a
// reduce-scatter and an all-gather. H200 is extrapolated beyond its rows, which end at 512 MiB.
TEST(ClusterFacts, NumberOfDevicesOfOneNode) {
  CheckAll({
      {"8xh200", kAllReduce, 1, 4, 8 * kGiB, 363, .04, kBorrowed},
      {"8xh200", kAllReduce, 1, 5, 8 * kGiB, 414, .04, kBorrowed},
      {"8xh200", kAllReduce, 1, 6, 8 * kGiB, 436, .04, kBorrowed},
      {"8xh200", kAllReduce, 1, 7, 8 * kGiB, 460, .04, kBorrowed},
      {"8xh200", kAllReduce, 1, 8, 8 * kGiB, 473, .04, kBorrowed},
      {"8xb200", kAllReduce, 1, 4, 8 * kGiB, 673, .05, kBorrowed},
      {"8xb200", kAllReduce, 1, 5, 8 * kGiB, 678, .08, kBorrowed},
      {"8xb200", kAllReduce, 1, 6, 8 * kGiB, 778, .05, kBorrowed},
      {"8xb200", kAllReduce, 1, 7, 8 * kGiB, 811, .05, kBorrowed},
      {"8xb200", kAllReduce, 1, 8, 8 * kGiB, 838, .05, kBorrowed},
      {"8xb200", kAllReduce, 1, 8, 16 * kGiB, 843, .01, kBorrowed},
      {"8xh200", kAllReduce, 1, 8, 16 * kGiB, 480, .06, kBorrowed},
      {"8xh200", kAllGather, 1, 8, 16 * kGiB, 361, .06, kBorrowed},
      {"8xh200", kReduceScatter, 1, 8, 16 * kGiB, 363, .06, kBorrowed},
  });
}

TEST(ClusterFacts, SeveralNodes) {
  CheckAll({
      {"2x8xh200", kAllReduce, 2, 8, 64, 25, .15, kBorrowed, true},
      {"2x8xb200", kAllReduce, 2, 8, 64, 35, .15, kBorrowed, true},
      {"4x8xh200", kAllReduce, 4, 8, 64, 35, .15, kBorrowed, true},
      {"4x8xh200", kAllReduce, 4, 8, 16 * kGiB, 366, .01, kBorrowed},
      {"128x8xh200", kAllReduce, 128, 8, 16 * kGiB, 367, .01, kBorrowed},
      {"128x8xh200", kAllReduce, 128, 8, kGiB, 111, .02, kBorrowed},
      {"2x8xb200", kAllReduce, 2, 8, 16 * kGiB, 718, .01, kBorrowed},
      {"2x8xb200", kAllGather, 2, 8, 16 * kGiB, 308, .01, kBorrowed},
      {"2x8xb200", kReduceScatter, 2, 8, 16 * kGiB, 304, .01, kBorrowed},
      {"2x8xb200", kAllToAll, 2, 8, 16 * kGiB, 42, .02, kBorrowed},
      {"2x8xb200", kSendRecv, 2, 8, 16 * kGiB, 20, .02, kBorrowed},
      // 37 of the 50 GB/s of each device's network card.
      {"4x8xb200", kAllReduce, 4, 8, 16 * kGiB, 382, .03, kAnalytic},
  });
}

TEST(ClusterFacts, Racks) {
  CheckAll({
      {"72xgb200", kAllReduce, 1, 72, 8 * kGiB, 835, .02, kBorrowed},
      {"2x64xgb200", kAllReduce, 2, 64, 16 * kGiB, 811, .02, kBorrowed},
      {"20x72xgb200", kAllReduce, 20, 72, 16 * kGiB, 406, .01, kBorrowed},
      {"2x64xgb200", kAllToAll, 2, 64, 16 * kGiB, 48, .02, kBorrowed},
      // Interpolated by the model between the two measured numbers of racks.
      {"2x72xgb200", kAllReduce, 2, 72, 16 * kGiB, 811, .15, kAnalytic},
      {"8xgb200", kSendRecv, 1, 2, 16 * kGiB, 746, .15, kBorrowed},
  });
}

// Operations without published data use the fit of the all-reduce over the same wires.
TEST(ClusterFacts, GapsAreFormulas) {
  CheckAll({
      {"8xrtx4090", kAllGather, 1, 8, 128 * kMiB, 14.5, .1, kAnalytic},
      {"8xrtx4090", kReduceScatter, 1, 8, 128 * kMiB, 14.5, .1, kAnalytic},
      {"8xrtx4090", kAllToAll, 1, 8, 128 * kMiB, 14.5, .1, kAnalytic},
      {"8xrtx4090", kSendRecv, 1, 2, 128 * kMiB, 14.5, .1, kAnalytic},
      // Six links of 20 GB/s by NCCL's constants.
      {"8xv100", kAllReduce, 1, 8, 512 * kMiB, 120, .05, kAnalytic},
      {"8xv100", kAllGather, 1, 8, 512 * kMiB, 120, .05, kAnalytic},
  });
}

// One node and several, every operation and size: there is a price, it grows with size except for
// jumps in the rows, and it is never called measured.
TEST(ClusterFacts, EveryClusterPricesEverything) {
  for (const std::string& name : BuiltinProfiles()) {
    for (const int nodes : {1, 2, 3, 16}) {
      const int node = BuiltinProfile(name).value()->header.devices_per_node;
      const Cluster cluster = ResolveCluster(fmt::format("{}x{}x{}", nodes, node, name)).value();
      for (const int ranks_per_node : {1, 2, 5, 8, node}) {
        const Group group{nodes * ranks_per_node, nodes, ranks_per_node, 1, false};
        if (group.ranks == 1) continue;
        for (int op = 0; op < kCollectives; ++op) {
          const auto kind = static_cast<Collective>(op);
          double last = 0;
          for (int64_t bytes = 256; bytes <= 8 * kGiB; bytes *= 4) {
            const Priced price = CollectiveSeconds(cluster, kind, group, bytes, ElementType::kBF16);
            ASSERT_TRUE(std::isfinite(price.seconds));
            ASSERT_GT(price.seconds, 1e-6);
            ASSERT_NE(price.provenance, kMeasured);
            ASSERT_GT(price.seconds, 0.4 * last)
                << cluster.name << " " << Name(kind) << " " << group.ranks << " " << bytes;
            last = price.seconds;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace metadist
