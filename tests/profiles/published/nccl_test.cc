// SPDX-License-Identifier: Apache-2.0
// The formulas for groups without rows compared with nccl_tuning_model.json: the errors of an
// independent implementation of NCCL's tuner, and those with the two fitted scalars.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "profiles/cluster.h"
#include "profiles/gpu_collective_model.h"
#include "tests/profiles/published/published.h"

namespace metadist::published {
namespace {

constexpr int64_t kMid = 64 << 10;
constexpr int64_t kLarge = 16 << 20;

struct Sweep {
  Collective op = Collective::kAllReduce;
  Rows rows;
};

Collective ParseOp(const std::string& name) {
  for (int op = 0; op < kCollectives; ++op) {
    if (Name(static_cast<Collective>(op)) == name) return static_cast<Collective>(op);
  }
  return Collective::kAllToAll;
}

// The sweep for a row of check_against_measurements.
Sweep Find(const nlohmann::json& check) {
  const std::string system = check.at("system");
  Sweep sweep{ParseOp(check.at("op")), {}};
  const auto& systems = Data("nccl_aiconfigurator").at("systems");
  if (systems.contains(system)) {
    for (const auto& one : systems.at(system)) {
      if (one.at("dtype") != "half" || one.at("op") != check.at("op") ||
          one.at("nranks") != check.at("nranks"))
        continue;
      for (const auto& row : one.at("rows")) sweep.rows.emplace_back(row[0], row[1]);
    }
    return sweep;
  }
  for (const auto& one : Data("nccl_measurements").at("sweeps")) {
    if (one.at("id") != system) continue;
    for (const auto& row : one.at("rows")) {
      if (row.at("bytes") < 512) continue;
      double time_us = row.at("time_us");
      if (row.contains("time_us_inplace"))
        time_us = std::min(time_us, row["time_us_inplace"].get<double>());
      sweep.rows.emplace_back(row.at("bytes"), time_us);
    }
  }
  return sweep;
}

// Payload GB/s of the system's largest all-reduce over eight devices of one node.
double InsideRate(const std::string& system) {
  for (const auto& one : Data("nccl_aiconfigurator").at("systems").at(system)) {
    if (one.at("dtype") != "half" || one.at("op") != "all_reduce" || one.at("nranks") != 8)
      continue;
    const auto& row = one.at("rows").back();
    return row[0].get<double>() / row[1].get<double>() / 1000;
  }
  return 0;
}

// The channels that the published check assumed. Over two nodes a tree is limited by the node's own
// all-reduce and its network cards, as in GpuCollectiveModel. For A100 that rate is also its steady
// state (127 GB/s), but the sweep is slower up to 1 GiB, so the published assumption of a ring is
// kept.
NcclFabric FabricOf(const std::string& system, int ranks, int nodes) {
  const bool ampere = system.starts_with("a100");
  const bool blackwell = system.find("b200") != std::string::npos;
  NcclFabric fabric;
  fabric.generation = ampere      ? NcclGeneration::kAmpere
                      : blackwell ? NcclGeneration::kBlackwell
                                  : NcclGeneration::kHopper;
  fabric.ranks = ranks;
  fabric.nodes = nodes;
  fabric.inside_bus = ampere ? 240 : blackwell ? 720 : 360;
  if (nodes > 1) fabric.wire_bus = ampere ? 192 : 384;
  if (nodes == 2 && !ampere) {
    const double inside = InsideRate(ampere ? "a100_sxm" : blackwell ? "b200_sxm" : "h100_sxm");
    fabric.pair_rate = std::min(fabric.wire_bus, inside);
  }
  return fabric;
}

struct BySize {
  std::vector<double> small, mid, large;
  std::vector<double>& at(int64_t bytes) {
    return bytes < kMid ? small : bytes < kLarge ? mid : large;
  }
};

TEST(PublishedNccl, UnfittedModel) {
  for (const auto& check : Data("nccl_tuning_model").at("check_against_measurements").at("rows")) {
    const std::string system = check.at("system");
    const Sweep sweep = Find(check);
    const NcclFabric fabric = FabricOf(system, check.at("nranks"), check.at("nnodes"));
    BySize percent;
    for (const auto& [bytes, time_us] : sweep.rows) {
      percent.at(bytes).push_back(
          PercentOff(NcclSeconds(fabric, sweep.op, bytes).total_us(), time_us));
    }
    const std::string what = fmt::format(
        "{} {} {}x{}", system, Name(sweep.op), fabric.nodes, fabric.ranks / fabric.nodes);
    EXPECT_TRUE(Within("unfitted, to 32 KiB: " + what,
                       Summarize(percent.small),
                       {.mean = check.at("small_le_32K")[0], .unit = 1}));
    EXPECT_TRUE(Within("unfitted, to 8 MiB: " + what,
                       Summarize(percent.mid),
                       {.mean = check.at("mid_64K_8M")[0], .unit = 1}));
    EXPECT_TRUE(Within("unfitted, from 16 MiB: " + what,
                       Summarize(percent.large),
                       {.mean = check.at("large_ge_16M")[0], .unit = 1}));
  }
}

// The system's profile with only three rows of the operation, 8 KiB, 16 MiB and the largest; the
// model is fitted to them and predicts the others. Only the error without a fit was published.
TEST(PublishedNccl, TwoFittedScalars) {
  std::vector<double> fitted, unfitted;
  const std::map<std::string, std::string> names = {{"a100_sxm", "a100"},
                                                    {"h100_sxm", "h100"},
                                                    {"h200_sxm", "h200"},
                                                    {"b200_sxm", "b200"},
                                                    {"gb200", "gb200"}};
  for (const auto& check : Data("nccl_tuning_model").at("check_against_measurements").at("rows")) {
    const std::string system = check.at("system");
    if (names.count(system) == 0) continue;
    const Sweep sweep = Find(check);
    Profile profile = *BuiltinProfile(names.at(system)).value();
    const int ranks = check.at("nranks");
    std::erase_if(profile.collectives, [&](const auto& rows) {
      return rows.first.op == sweep.op && rows.first.nodes == 1 && rows.first.ranks != ranks;
    });
    const CollectiveKey key{sweep.op, "f16", ranks, 1, ranks, 1, false};
    std::erase_if(profile.collectives.at(key), [&](const auto& row) {
      return row.first != 8192 && row.first != kLarge && row.first != sweep.rows.back().first;
    });
    ASSERT_EQ(profile.collectives.at(key).size(), 3u);
    const GpuCollectiveModel model(profile, sweep.op, ElementType::kF16, /*strided=*/false);
    const NcclFabric fabric = FabricOf(system, ranks, 1);
    std::vector<double> percent;
    for (const auto& [bytes, time_us] : sweep.rows) {
      if (profile.collectives.at(key).count(bytes) > 0) continue;
      percent.push_back(PercentOff(model.FittedSeconds(GroupFor(key), bytes) * 1e6, time_us));
      unfitted.push_back(PercentOff(NcclSeconds(fabric, sweep.op, bytes).total_us(), time_us));
    }
    EXPECT_TRUE(
        Within(fmt::format("two scalars: {} {}", system, Name(sweep.op)), Summarize(percent), {}));
    fitted.insert(fitted.end(), percent.begin(), percent.end());
  }
  const Errors without = Summarize(std::move(unfitted));
  EXPECT_TRUE(Within("two scalars, all, against no fit",
                     Summarize(std::move(fitted)),
                     {.mean = without.mean / 1.5, .p90 = without.p90}));
}

}  // namespace
}  // namespace metadist::published
