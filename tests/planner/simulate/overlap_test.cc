// SPDX-License-Identifier: Apache-2.0
#include "planner/simulate/overlap.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "planner/lower/node_order.h"
#include "planner/simulate/overlap_order.h"

namespace metadist {
namespace {

// A stage on two ranks. lines: inputs, nodes, outputs, states.
Program TwoRanks(const std::string& lines, const std::string& after = "schedule 0:0\n") {
  const auto program = ParseProgram("program\nstage ranks 0-1 mesh a=2\ngraph g opset 26 {\n" +
                                    lines + "}\n" + after);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.value();
}

// The program's nodes in an order in which they overlap. seconds: by node of the program.
Overlapped Of(Program program,
              const std::vector<double>& seconds,
              double slowdown = 1,
              double start = 0,
              const OverlapReach& reach = {}) {
  const OpTable& ops = OpTable::BuiltIn();
  std::vector<Priced> nodes;
  for (const double s : seconds) nodes.push_back(MakePriced(s, {}, {}, 0));
  const std::vector<StepTask> tasks = TasksOf({program, ops, nodes, slowdown, start});
  const std::vector<NodeId> order = NodesOf(tasks, OverlapOrder(tasks, reach));
  const auto put = OverlapInOrder(OnlyStage(program), order);
  EXPECT_TRUE(put.ok()) << put.error().text();
  std::vector<Priced> ordered;
  for (const NodeId node : order) ordered.push_back(nodes[static_cast<size_t>(node)]);
  return OverlappedOf({program, ops, ordered, slowdown, start});
}

// y = -gather(exp x) + tanh x.
Program Beside() {
  return TwoRanks(
      "  input %x: f32[4]\n"
      "  %p: f32[4] = Exp(%x) @p\n"
      "  %r: f32[4] = metadist.AllGather(%p) {axes = [\"a\"]} @gather\n"
      "  %u: f32[4] = Neg(%r) @u\n"
      "  %s: f32[4] = Tanh(%x) @s\n"
      "  %y: f32[4] = Add(%u, %s) @y\n"
      "  output %y\n",
      "sharding %x [a]\nsharding %p [a]\nsharding %s [a]\nschedule 0:0\n");
}

// The reader of the collective stands right after it, and does not hold up what follows.
TEST(Overlapped, ComputeGoesOnWithWhatIsReady) {
  const Overlapped one = Of(Beside(), {1, 2, 1, 2, 1});
  EXPECT_DOUBLE_EQ(one.step_seconds, 5);
  EXPECT_DOUBLE_EQ(one.exposed_seconds, 0);
  EXPECT_DOUBLE_EQ(one.hidden_seconds, 2);
}

TEST(Overlapped, WhatNothingCoversIsExposed) {
  const Overlapped longer = Of(Beside(), {1, 5, 1, 2, 1}, 1, 0.5);
  EXPECT_DOUBLE_EQ(longer.step_seconds, 8.5);
  EXPECT_DOUBLE_EQ(longer.exposed_seconds, 3);
  EXPECT_DOUBLE_EQ(longer.hidden_seconds, 2);
}

// Beside 2 s of communication, 2 s of kernels get as far as 1 s alone would.
TEST(Overlapped, KernelsAreSlowerBesideCollectives) {
  const Overlapped slow = Of(Beside(), {1, 2, 1, 2, 1}, 2);
  EXPECT_DOUBLE_EQ(slow.step_seconds, 6);
  EXPECT_DOUBLE_EQ(slow.exposed_seconds, 1);
  EXPECT_DOUBLE_EQ(slow.hidden_seconds, 1);
  EXPECT_DOUBLE_EQ(Of(Beside(), {1, 2, 1, 2, 1}, 100).step_seconds, 6.98);
}

TEST(Overlapped, AChainIsAsItWas) {
  const Program chain = TwoRanks(
      "  input %x: f32[4]\n"
      "  %p: f32[4] = Exp(%x) @p\n"
      "  %r: f32[4] = metadist.AllGather(%p) {axes = [\"a\"]} @gather\n"
      "  %y: f32[4] = Neg(%r) @y\n"
      "  output %y\n",
      "sharding %x [a]\nsharding %p [a]\nschedule 0:0\n");
  const Overlapped one = Of(chain, {1, 2, 3});
  EXPECT_DOUBLE_EQ(one.step_seconds, 6);
  EXPECT_DOUBLE_EQ(one.hidden_seconds, 0);
}

// A parameter is gathered before its reader is reached.
TEST(Overlapped, CollectivesStartEarly) {
  const Program gathers = TwoRanks(
      "  input %x: f32[4]\n"
      "  input %v: f32[4]\n"
      "  input %w: f32[4]\n"
      "  %a: f32[4] = Exp(%x) @a\n"
      "  %vg: f32[4] = metadist.AllGather(%v) {axes = [\"a\"]} @vg\n"
      "  %b: f32[4] = Add(%a, %vg) @b\n"
      "  %wg: f32[4] = metadist.AllGather(%w) {axes = [\"a\"]} @wg\n"
      "  %c: f32[4] = Add(%b, %wg) @c\n"
      "  output %c\n",
      "sharding %v [a]\nsharding %w [a]\nschedule 0:0\n");
  EXPECT_DOUBLE_EQ(Of(gathers, {3, 2, 3, 2, 1}).step_seconds, 7);
}

// But not before its old value has been read.
TEST(Overlapped, UpdatesWaitForReaders) {
  const Program update = TwoRanks(
      "  input %x: f32[4]\n"
      "  parameter %w: f32[4] = ...\n"
      "  %g: f32[4] = Exp(%x) @g\n"
      "  %gg: f32[4] = metadist.AllGather(%g) {axes = [\"a\"]} @gg\n"
      "  %wg: f32[4] = metadist.AllGather(%w) {axes = [\"a\"]} @wg\n"
      "  %y: f32[4] = Add(%gg, %wg) @y\n"
      "  %n: f32[4] = Neg(%g) @n\n"
      "  output %y\n"
      "  output %n\n"
      "  state %w -> %n\n",
      "sharding %x [a]\nsharding %g [a]\nsharding %w [a]\nsharding %n [a]\nschedule 0:0\n");
  // w is gathered at once, for 10 s; the update of 4 s may not begin before.
  EXPECT_DOUBLE_EQ(Of(update, {1, 1, 10, 2, 4}).step_seconds, 16);
}

// A rank waits for its collectives before it goes on to the next micro-batch; what is done once
// comes at the end.
TEST(Overlapped, EveryMicroBatchByItself) {
  const auto program = [](int batches) {
    std::string schedule = "schedule";
    for (int b = 0; b < batches; ++b) schedule += " 0:" + std::to_string(b);
    return TwoRanks(
        "  input %x: f32[4]\n"
        "  input %s: f32[4]\n"
        "  %g: f32[4] = Exp(%x) @g\n"
        "  %r: f32[4] = metadist.AllGather(%g) {axes = [\"a\"]} @r\n"
        "  %h: f32[4] = Neg(%x) @h\n"
        "  %t: f32[4] = metadist.Accumulate(%s, %r) @t\n"
        "  %u: f32[4] = metadist.Accumulate(%t, %h) @u\n"
        "  %y: f32[4] = Neg(%u) @y\n"
        "  output %y\n"
        "  sum %s -> %u\n",
        "sharding %x [a]\nsharding %g [a]\nbatched %x\n" + schedule + "\n");
  };
  // The gather of 3 s runs beside h, of 2 s.
  for (const int batches : {1, 2, 3, 4, 10, 1000}) {
    const Overlapped one = Of(program(batches), {4, 3, 2, 1, 1, 7});
    EXPECT_NEAR(one.step_seconds, 9 * batches + 7, 1e-9) << batches;
    EXPECT_NEAR(one.exposed_seconds, batches, 1e-9) << batches;
    EXPECT_NEAR(one.hidden_seconds, 2 * batches, 1e-9) << batches;
  }
}

// Results that wait for their readers take memory.
TEST(Overlapped, AShorterReachHidesLess) {
  const Program gathers = TwoRanks(
      "  input %x: f32[4]\n"
      "  input %v: f32[4]\n"
      "  input %w: f32[4]\n"
      "  %a: f32[4] = Exp(%x) @a\n"
      "  %b: f32[4] = Exp(%a) @b\n"
      "  %vg: f32[4] = metadist.AllGather(%v) {axes = [\"a\"]} @vg\n"
      "  %c: f32[4] = Add(%b, %vg) @c\n"
      "  %wg: f32[4] = metadist.AllGather(%w) {axes = [\"a\"]} @wg\n"
      "  %d: f32[4] = Add(%c, %wg) @d\n"
      "  output %d\n",
      "sharding %v [a]\nsharding %w [a]\nschedule 0:0\n");
  const std::vector<double> seconds = {4, 4, 5, 1, 5, 1};
  EXPECT_DOUBLE_EQ(Of(gathers, seconds, 1, 0, {64, 4}).step_seconds, 11);  // both from the start
  EXPECT_DOUBLE_EQ(Of(gathers, seconds, 1, 0, {64, 1}).step_seconds, 15);  // the second after c
  EXPECT_DOUBLE_EQ(Of(gathers, seconds, 1, 0, {64, 0}).step_seconds, 20);  // none before it must
}

// Slices are local: they are communication, but take turns with the nodes.
TEST(Overlapped, LocalStepsAreExposed) {
  const Program slices = TwoRanks(
      "  input %x: f32[4]\n"
      "  %s: f32[4] = metadist.Slice(%x) {axes = [\"a\"]} @s\n"
      "  %g: f32[4] = metadist.AllGather(%s) {axes = [\"a\"]} @g\n"
      "  %n: f32[4] = Neg(%x) @n\n"
      "  %y: f32[4] = Add(%n, %g) @y\n"
      "  output %y\n",
      "sharding %s [a]\nschedule 0:0\n");
  EXPECT_EQ(Of(slices, {3, 2, 2, 1}), (Overlapped{6, 3, 2}));
}

// The collective reads a view of the state that the update replaces.
TEST(Overlapped, UpdatesWaitForReadersOfViews) {
  const Program update = TwoRanks(
      "  input %x: f32[4]\n"
      "  parameter %w: f32[2,2] = ...\n"
      "  constant %flat: i64[1] = [4]\n"
      "  %v: f32[4] = Reshape(%w, %flat) @v\n"
      "  %wg: f32[4] = metadist.AllGather(%v) {axes = [\"a\"]} @wg\n"
      "  %y: f32[4] = Add(%x, %wg) @y\n"
      "  %n: f32[2,2] = Neg(%w) @n\n"
      "  output %y\n"
      "  output %n\n"
      "  state %w -> %n\n",
      "sharding %w [a][]\nsharding %v [a]\nsharding %n [a][]\nschedule 0:0\n");
  // The update of 4 s comes after the gather of 10 s, and the sum of 1 s first.
  EXPECT_DOUBLE_EQ(Of(update, {0, 10, 1, 4}).step_seconds, 15);
}

// They take the time of all members and are done at one time.
TEST(Overlapped, MembersOfABundleTravelTogether) {
  const Program bundle = TwoRanks(
      "  input %x: f32[4]\n"
      "  input %z: f32[4]\n"
      "  %p: f32[4] = Exp(%x) @p\n"
      "  %one: f32[4] = metadist.AllGather(%p) {axes = [\"a\"], bundle = 0} @one\n"
      "  %two: f32[4] = metadist.AllGather(%z) {axes = [\"a\"], bundle = 0} @two\n"
      "  %y: f32[4] = Add(%one, %two) @y\n"
      "  output %y\n",
      "sharding %x [a]\nsharding %p [a]\nsharding %z [a]\nschedule 0:0\n");
  EXPECT_DOUBLE_EQ(Of(bundle, {1, 2, 2, 1}).step_seconds, 6);
}

TEST(Overlapped, WithoutCollectivesNothingChanges) {
  const Program program = TwoRanks("  input %x: f32[4]\n  %y: f32[4] = Exp(%x) @y\n  output %y\n");
  const Overlapped one = Of(program, {2}, 3, 1);
  EXPECT_EQ(one, (Overlapped{3, 0, 0}));
}

}  // namespace
}  // namespace metadist
