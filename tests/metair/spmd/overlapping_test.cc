// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/overlapping.h"

#include <gtest/gtest.h>

#include <string>

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/program.h"

namespace metadist {
namespace {

constexpr int kNo = kNone;

std::vector<NodeId> Of(const std::string& lines) {
  const auto program = ParseProgram("program\nstage ranks 0-1 mesh a=2\ngraph g opset 26 {\n" +
                                    lines + "}\nschedule 0:0\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  const Graph& graph = OnlyStage(program.value()).graph;
  return DoneBefore(graph, ViewRoots(graph, OpTable::BuiltIn()));
}

std::string Gather(const char* from, const char* to, const char* more = ", overlaps = 1") {
  return std::string("  %") + to + ": f32[4] = metadist.AllGather(%" + from + ") {axes = [\"a\"]" +
         more + "} @g" + to + "\n";
}

using Nodes = std::vector<NodeId>;

TEST(DoneBefore, TheFirstReader) {
  EXPECT_EQ(Of("  input %x: f32[4]\n" + Gather("x", "g") +
               "  %n: f32[4] = Neg(%x) @n\n"
               "  %y: f32[4] = Add(%n, %g) @y\n"
               "  %z: f32[4] = Add(%y, %g) @z\n"
               "  output %z\n"),
            (Nodes{2, kNo, kNo, kNo}));
}

TEST(DoneBefore, TheEndIfNobodyReads) {
  EXPECT_EQ(Of("  input %x: f32[4]\n" + Gather("x", "g") +
               "  %n: f32[4] = Neg(%x) @n\n"
               "  output %n\n"
               "  output %g\n"),
            (Nodes{2, kNo}));
}

TEST(DoneBefore, NothingWithoutMarks) {
  EXPECT_EQ(Of("  input %x: f32[4]\n" + Gather("x", "g", "") +
               "  %n: f32[4] = Neg(%g) @n\n"
               "  output %n\n"),
            (Nodes{kNo, kNo}));
}

// The second is read first. One that only the other collective reads waits with that.
TEST(DoneBefore, EarlierOnesWithLaterOnes) {
  EXPECT_EQ(Of("  input %x: f32[4]\n" + Gather("x", "g") + Gather("x", "h") + Gather("h", "i") +
               "  %y: f32[4] = Neg(%i) @y\n"
               "  %z: f32[4] = Add(%y, %g) @z\n"
               "  output %z\n"),
            (Nodes{3, 3, 3, kNo, kNo}));
}

// The collective reads a view of the state.
TEST(DoneBefore, ANewValueOfAState) {
  EXPECT_EQ(Of("  input %x: f32[4]\n"
               "  parameter %w: f32[2,2] = ...\n"
               "  constant %flat: i64[1] = [4]\n"
               "  %v: f32[4] = Reshape(%w, %flat) @v\n" +
               Gather("v", "g") +
               "  %m: f32[2,2] = Neg(%w) @m\n"
               "  %y: f32[4] = Add(%x, %g) @y\n"
               "  output %y\n"
               "  output %m\n"
               "  state %w -> %m\n"),
            (Nodes{kNo, 2, kNo, kNo}));
}

// Ranks must not meet in two places at once.
TEST(DoneBefore, ACollectiveInOrder) {
  EXPECT_EQ(Of("  input %x: f32[4]\n" + Gather("x", "g") + "  %n: f32[4] = Neg(%x) @n\n" +
               Gather("n", "h", "") +
               "  %y: f32[4] = Add(%h, %g) @y\n"
               "  output %y\n"),
            (Nodes{2, kNo, kNo, kNo}));
}

}  // namespace
}  // namespace metadist
