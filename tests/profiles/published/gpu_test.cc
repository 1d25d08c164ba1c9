// SPDX-License-Identifier: Apache-2.0
// Kernels of one GPU (profiles/contraction_cost.cc, compute_cost.cc) compared with gpu_torch.json,
// no data of which is in the built-in profiles: how accurate are borrowed prices?
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiles/cluster.h"
#include "profiles/cost.h"
#include "tests/profiles/published/published.h"

namespace metadist::published {
namespace {

using Json = nlohmann::json;

// The rows of a table, each by column names.
std::vector<std::map<std::string, Json>> RowsOf(const std::string& device,
                                                const std::string& table) {
  std::vector<std::map<std::string, Json>> rows;
  const Json& columns = Data("gpu_torch").at("columns").at(table);
  for (const Json& machine : Data("gpu_torch").at("machines")) {
    if (machine.at("device").get<std::string>().find(device) == std::string::npos) continue;
    for (const Json& values : machine.at("tables").at(table)) {
      auto& row = rows.emplace_back();
      for (size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values[i];
    }
  }
  return rows;
}

// Operands already in the cache are not typical of a step.
bool IsHot(const std::map<std::string, Json>& row) { return row.at("residence") == "hot"; }

using Percents = std::map<std::string, std::vector<double>>;

Percents ErrorsOfProducts(const Profile& profile, const std::string& device) {
  Percents percent;
  for (const auto& row : RowsOf(device, "product")) {
    const auto dtype = ParseElementType(row.at("dtype").get<std::string>());
    if (!dtype || IsHot(row)) continue;  // f32 on the TF32 units has no separate price
    ComputeWork work{.op = "MatMul",
                     .dtype = *dtype,
                     .batch = row.at("batch"),
                     .m = row.at("m"),
                     .n = row.at("n"),
                     .k = row.at("k")};
    work.flops = 2 * work.batch * work.m * work.n * work.k;
    work.bytes =
        ByteSize(*dtype) * work.batch * (work.m * work.k + work.k * work.n + work.m * work.n);
    const double predicted = ComputeSeconds(profile, work).seconds * 1e6;
    percent[std::string(Name(*dtype)) + (work.batch > 1 ? ", batched" : "")].push_back(
        PercentOff(predicted, row.at("time_us")));
  }
  return percent;
}

Percents ErrorsOfOthers(const Profile& profile, const std::string& device) {
  Percents percent;
  for (const auto& row : RowsOf(device, "copy")) {
    if (IsHot(row)) continue;
    const ComputeWork work{.op = "Identity", .bytes = row.at("bytes")};
    percent["copies"].push_back(
        PercentOff(ComputeSeconds(profile, work).seconds * 1e6, row.at("time_us")));
  }
  for (const auto& row : RowsOf(device, "operator")) {
    const std::string dtype = row.at("dtype");
    const ComputeWork work{
        .op = row.at("op"), .dtype = *ParseElementType(dtype), .bytes = row.at("bytes")};
    percent["operators, " + dtype].push_back(
        PercentOff(ComputeSeconds(profile, work).seconds * 1e6, row.at("time_us")));
  }
  return percent;
}

// The bounds are the current errors of the borrowed prices, on an H100 and on an H200, so that any
// increase is detected.
struct Expected {
  const char* kind;
  Bound h100;
  Bound h200;
};

void Check(const Percents& h100, const Percents& h200, const std::vector<Expected>& expected) {
  EXPECT_EQ(h100.size(), expected.size());
  EXPECT_EQ(h200.size(), expected.size());
  for (const Expected& e : expected) {
    ASSERT_TRUE(h100.contains(e.kind) && h200.contains(e.kind)) << e.kind;
    EXPECT_TRUE(Within(std::string(e.kind) + ", H100", Summarize(h100.at(e.kind)), e.h100));
    EXPECT_TRUE(Within(std::string(e.kind) + ", H200", Summarize(h200.at(e.kind)), e.h200));
  }
}

TEST(MeasuredKernels, Products) {
  Check(ErrorsOfProducts(*BuiltinProfile("h100").value(), "H100"),
        ErrorsOfProducts(*BuiltinProfile("h200").value(), "H200"),
        {{"bf16", {1595, 20.9, 12.6, 50.1}, {336, 17.3, 9.5, 45.4}},
         {"bf16, batched", {140, 6.1, 3.8, 12.3}, {14, 17.8, 8.3, 58.5}},
         {"f16", {72, 10.9, 6.6, 20.6}, {72, 11.9, 7.0, 18.7}},
         {"f16, batched", {14, 15.8, 7.9, 51.6}, {14, 17.6, 8.3, 58.5}},
         {"f32", {1297, 29.6, 26.5, 62.3}, {72, 13.5, 11.1, 27.6}},
         {"f32, batched", {140, 24.1, 22.7, 45.7}, {14, 17.9, 16.6, 31.1}}});
}

TEST(MeasuredKernels, BoundByMemory) {
  Check(ErrorsOfOthers(*BuiltinProfile("h100").value(), "H100"),
        ErrorsOfOthers(*BuiltinProfile("h200").value(), "H200"),
        {{"copies", {16, 48.4, 17.3, 133.9}, {16, 55.5, 29.1, 156.7}},
         {"operators, bf16", {172, 43.4, 33.6, 94.6}, {172, 46.4, 37.2, 96.1}},
         {"operators, f32", {171, 47.9, 21.0, 92.6}, {171, 45.2, 30.5, 93.5}}});
}

}  // namespace
}  // namespace metadist::published
