// SPDX-License-Identifier: Apache-2.0
// Measured numbers differ from machine to machine: only properties that hold on every machine are
// checked.
#include "executor/measure/measure.h"

#include <gtest/gtest.h>

#include "executor/measure/bound_kernel.h"
#include "metair/ops/op_table.h"
#include "profiles/cost.h"
#include "profiles/profile_io.h"

namespace metadist {
namespace {

TEST(Measure, AProfileThatCanBeWrittenReadAndResumed) {
  MeasureOptions options;
  options.ranks = {1, 2, 3};
  options.quick = true;
  options.budget_seconds = 2;
  options.date = "2000-01-01";
  options.tool_version = "0";
  int rows = 0;
  bool readable = true;
  options.row_done = [&](const Profile& so_far) {
    if (++rows < 20) readable = readable && ParseProfile(FormatProfile(so_far), "profile").ok();
  };
  const auto first = MeasureCpu(options);
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_GT(rows, 0);
  EXPECT_TRUE(readable);
  const auto read = ParseProfile(FormatProfile(first.value()), "profile");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(FormatProfile(read.value()), FormatProfile(first.value()));

  options.previous = &first.value();
  options.budget_seconds = 1e-9;
  rows = 0;
  const auto again = MeasureCpu(options);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(rows, 0);
  EXPECT_EQ(again.value().rows(), first.value().rows());
}

TEST(Measure, StopsWhenInterrupted) {
  const std::atomic<bool> interrupted = true;
  MeasureOptions options;
  options.interrupted = &interrupted;
  const auto result = MeasureCpu(options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kInterrupted);
}

TEST(Measure, RefusesZeroRanks) {
  MeasureOptions options;
  options.ranks = {0};
  EXPECT_EQ(MeasureCpu(options).error().message, "ranks must be in [1, 1024], got 0");
}

TEST(Measure, FindsTheProductWithoutItsName) {
  const OpDef* op = FirstContraction();
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->name, "MatMul");
}

// The bytes show which operands were chosen: 40 rows of 64 elements, or 40 channels of 8 x 8.
TEST(Measure, OperatorsOnImagesGetImages) {
  const auto bytes = [](const char* name) {
    const auto kernel = ElementwiseKernel(*OpTable::BuiltIn().Find("", name), 40, 64);
    return kernel ? kernel->work().bytes : 0;
  };
  EXPECT_EQ(bytes("GlobalAveragePool"), 4 * (40 * 64 + 40));
  EXPECT_EQ(bytes("GlobalMaxPool"), 4 * (40 * 64 + 40));
  EXPECT_EQ(bytes("InstanceNormalization"), 4 * (2 * 40 * 64 + 2 * 40));
  EXPECT_EQ(bytes("LayerNormalization"), 4 * (2 * 40 * 64 + 2 * 64));
  EXPECT_EQ(bytes("ReduceSum"), 4 * (40 * 64 + 1));
  EXPECT_EQ(bytes("Relu"), 4 * (2 * 40 * 64));
  EXPECT_EQ(bytes("Where"), 40 * 64 + 4 * (3 * 40 * 64));
}

}  // namespace
}  // namespace metadist
