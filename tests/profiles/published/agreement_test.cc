// SPDX-License-Identifier: Apache-2.0
// The reliability of borrowed rows: prices of a built-in profile compared with another publication
// on the same device, operation and size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/cost.h"
#include "tests/profiles/published/published.h"

namespace metadist::published {
namespace {

TEST(PublishedAgreement, TwoSourcesAgreeInTheMedian) {
  const struct {
    const char* sweep;
    const char* cluster;
    Collective op;
  } kPairs[] = {{"a100_thanos_ar_8_mpi", "8xa100", Collective::kAllReduce},
                {"b200_ar_8", "8xb200", Collective::kAllReduce},
                {"b200_ag_8", "8xb200", Collective::kAllGather},
                {"b200_rs_8", "8xb200", Collective::kReduceScatter},
                {"b200_a2a_8", "8xb200", Collective::kAllToAll}};
  for (const auto& pair : kPairs) {
    const Cluster cluster = ResolveCluster(pair.cluster).value();
    std::vector<double> ratios;
    for (const auto& sweep : Data("nccl_measurements").at("sweeps")) {
      if (sweep.at("id") != pair.sweep) continue;
      for (const auto& row : sweep.at("rows")) {
        const int64_t bytes = row.at("bytes");
        if (bytes < 512 || bytes > int64_t{512} << 20) continue;
        const Priced price =
            CollectiveSeconds(cluster, pair.op, {8, 1, 8, 1, false}, bytes, ElementType::kF16);
        ratios.push_back(row.at("time_us").get<double>() / price.seconds / 1e6);
      }
    }
    const Errors ours = Summarize(ratios);
    const auto& theirs =
        Data("interpolation_check").at("coarse_grid").at(fmt::format("agree_{}", pair.sweep));
    fmt::print(
        "{:24} {:3} sizes  median of theirs to ours {:.2f} ({:.2f}), at most {:.2f} ({:.2f})\n",
        pair.sweep,
        ours.points,
        ours.median,
        theirs.at("median").get<double>(),
        ours.max,
        theirs.at("max").get<double>());
    EXPECT_NEAR(ours.median, theirs.at("median"), 0.01) << pair.sweep;
    EXPECT_NEAR(ours.median, 1, 0.035) << pair.sweep;
    EXPECT_LE(ours.max, theirs.at("max").get<double>() + 0.01) << pair.sweep;
  }
}

}  // namespace
}  // namespace metadist::published
