// SPDX-License-Identifier: Apache-2.0
#include "profiles/cluster.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiles/profile_io.h"

namespace metadist {
namespace {

std::shared_ptr<const Profile> SmallCpu() {
  Profile profile;
  profile.header.name = "cpu";
  profile.header.kind = "cpu";
  profile.header.device_model = "test";
  profile.header.devices_per_node = 4;
  profile.header.cores = 2;
  profile.origins["here"] = {Provenance::kMeasured, "test", "own", "", false};
  profile.device.origin = "here";
  profile.device.memory_bytes = 8000;
  profile.device.memory_bytes_per_second = 1e10;
  return std::make_shared<const Profile>(std::move(profile));
}

TEST(Cluster, ReadsBuiltInSizes) {
  const struct {
    const char* spec;
    int nodes, devices_per_node;
  } kCases[] = {{"8xh100", 1, 8},
                {"2x8xh100", 2, 8},
                {"8xa100", 1, 8},
                {"8x8xh100", 8, 8},
                {"1xa100", 1, 1},
                {"4xh100", 1, 4},
                {"16xh100", 2, 8},
                {"2x4xa100", 2, 4},
                {"1024xh100", 128, 8}};
  for (const auto& one : kCases) {
    const auto cluster = ResolveCluster(one.spec);
    ASSERT_TRUE(cluster.ok()) << one.spec << ": " << cluster.error().text();
    EXPECT_EQ(cluster.value().nodes, one.nodes) << one.spec;
    EXPECT_EQ(cluster.value().devices_per_node, one.devices_per_node) << one.spec;
    EXPECT_EQ(cluster.value().name, one.spec);
    EXPECT_FALSE(cluster.value().is_cpu());
    EXPECT_EQ(cluster.value().memory_bytes, 80000000000);
    // 3.5 GB of context, 392 MB of buffers, 3 % slack.
    EXPECT_EQ(cluster.value().usable_bytes(), 80000000000 - 3892000000 - 2400000000);
  }
}

TEST(Cluster, RefusesWhatItCannotRead) {
  const struct {
    const char* spec;
    const char* message;
    const char* hint;
  } kCases[] = {
      {"8xh10", "unknown cluster '8xh10'", "did you mean '8xh100'?"},
      {"2x8xA10", "unknown cluster '2x8xA10'", ""},
      {"",
       "unknown cluster ''",
       "built-in: a100, b200, gb200, h100, h200, l40s, rtx4090, v100, as in 2x8xa100; or cpu:4; "
       "or a profile file"},
      {"8xrtx409", "unknown cluster '8xrtx409'", "did you mean '8xrtx4090'?"},
      {"4090", "unknown cluster '4090'", ""},
      {"dgx-h100", "unknown cluster 'dgx-h100'", "did you mean"},
      {"2x73xgb200", "a node has at most 72 devices, got 73", ""},
      {"8xtpu", "unknown cluster '8xtpu'", "built-in: a100, b200"},
      {"0xh100", "cluster '0xh100': expected a number of devices, got '0'", ""},
      {"-8xh100", "cluster '-8xh100': expected a number of devices, got '-8'", ""},
      {"8.5xh100", "cluster '8.5xh100': expected a number of devices, got '8.5'", ""},
      {"99999999999xh100", "expected a number of devices, got '99999999999'", ""},
      {"xh100", "cluster 'xh100': expected a number of devices, got ''", ""},
      {"2x2x8xh100", "expected at most nodes x devices, got '2x2x8'", ""},
      {"2x16xh100", "a node has at most 8 devices, got 16", ""},
      {"12xh100", "12 devices do not fill nodes of 8", "2x4"},
      {"1000000x8xh100", "more than", ""},
      {"cpu:4", "cluster 'cpu:4' needs a profile of this machine", "metadist profile"},
      {"cpu:0", "expected a number of ranks after cpu:", "cpu:4"},
      {"cpu:x", "expected a number of ranks after cpu:", "cpu:4"},
      {"cpu", "expected a number of ranks after cpu:", "cpu:4"},
  };
  for (const auto& one : kCases) {
    const auto cluster = ResolveCluster(one.spec);
    ASSERT_FALSE(cluster.ok()) << one.spec;
    EXPECT_EQ(cluster.error().code, ErrorCode::kUsage) << one.spec;
    EXPECT_NE(cluster.error().text().find(one.message), std::string::npos)
        << cluster.error().text();
    EXPECT_NE(cluster.error().hint.find(one.hint), std::string::npos) << cluster.error().text();
  }
}

TEST(Cluster, CpuRanksShareTheMachine) {
  EXPECT_EQ(CpuRanks("cpu:4"), 4);
  EXPECT_FALSE(CpuRanks("8xh100").has_value());
  EXPECT_FALSE(CpuRanks("cpu:4x").has_value());
  const auto cluster = ResolveCluster("cpu:4", SmallCpu());
  ASSERT_TRUE(cluster.ok());
  EXPECT_TRUE(cluster.value().is_cpu());
  EXPECT_EQ(cluster.value().devices(), 4);
  EXPECT_EQ(cluster.value().memory_bytes, 2000);
  EXPECT_EQ(cluster.value().usable_bytes(), 2000);
}

TEST(Cluster, ReadsProfileFiles) {
  const std::string path = testing::TempDir() + "cluster_test.profile.json";
  std::ofstream(path) << FormatProfile(*SmallCpu());
  EXPECT_EQ(ResolveCluster(path).value().devices(), 4);
  EXPECT_EQ(ResolveCluster(path + ":2").value().devices(), 2);
  EXPECT_EQ(ResolveCluster(path + ":2x3").value().nodes, 2);
  EXPECT_EQ(ResolveCluster(path + ":q").error().code, ErrorCode::kUsage);
  EXPECT_EQ(ResolveCluster(path + ":").error().code, ErrorCode::kUsage);
  const auto missing = ResolveCluster(path + ".gone");
  EXPECT_EQ(missing.error().code, ErrorCode::kUsage);
  EXPECT_EQ(missing.error().message, "no such file");
  std::filesystem::remove(path);
}

TEST(Cluster, KnowsMachinesByName) {
  const struct {
    const char* spec;
    const char* profile;
    int nodes, devices_per_node;
  } kCases[] = {{"h100", "h100", 1, 1},
                {"dgx-h100-ndr", "h100", 1, 8},
                {"2x8xdgx-h100-ndr", "h100", 2, 8},
                {"4xdgx-a100-hdr", "a100", 1, 4},
                {"dgx-h200", "h200", 1, 8},
                {"hgx-b200-ndr", "b200", 1, 8},
                {"gb200-nvl72", "gb200", 1, 72},
                {"2xgb200-nvl72", "gb200", 1, 2},
                {"144xgb200", "gb200", 2, 72},
                {"8xrtx4090", "rtx4090", 1, 8},
                {"2x8xrtx4090-pcie", "rtx4090", 2, 8},
                {"4x8xl40s-pcie", "l40s", 4, 8},
                {"2x8xv100", "v100", 2, 8}};
  for (const auto& one : kCases) {
    const auto cluster = ResolveCluster(one.spec);
    ASSERT_TRUE(cluster.ok()) << one.spec << ": " << cluster.error().text();
    EXPECT_EQ(cluster.value().profile->header.name, one.profile) << one.spec;
    EXPECT_EQ(cluster.value().nodes, one.nodes) << one.spec;
    EXPECT_EQ(cluster.value().devices_per_node, one.devices_per_node) << one.spec;
  }
}

TEST(Cluster, ListsBuiltInProfiles) {
  EXPECT_EQ(BuiltinProfiles(),
            (std::vector<std::string>{
                "a100", "b200", "gb200", "h100", "h200", "l40s", "rtx4090", "v100"}));
  EXPECT_EQ(BuiltinProfile("h300").error().code, ErrorCode::kUsage);
  EXPECT_EQ(BuiltinProfile("dgx-h200").value()->header.name, "h200");
  for (const std::string& name : BuiltinProfiles()) {
    const auto profile = BuiltinProfile(name);
    ASSERT_TRUE(profile.ok());
    const bool bare = name == "rtx4090" || name == "v100";
    EXPECT_GE(profile.value()->rows(), bare ? 0 : 400) << name;
    // They were not measured here, and must not claim so.
    EXPECT_EQ(profile.value()->rows_by_class().count(Provenance::kMeasured), 0u);
    for (const auto& [id, origin] : profile.value()->origins) {
      EXPECT_NE(origin.provenance, Provenance::kMeasured) << name << " " << id;
    }
  }
}

}  // namespace
}  // namespace metadist
