// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/buffer_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace metadist {
namespace {

OpTable Ops() {
  OpTable ops;
  ops.Add({.name = "Compute"});
  ops.Add({.name = "View", .view = true});
  return ops;
}

ValueId Add(Graph& graph, const std::string& name, Shape shape, ValueKind kind) {
  return graph.AddValue({name, {ElementType::kF32, std::move(shape)}, kind, {}, kNone});
}

ValueId Apply(Graph& graph, const char* op, std::vector<ValueId> inputs, Shape shape) {
  const std::string name = "v" + std::to_string(graph.values.size());
  const ValueId out = Add(graph, name, std::move(shape), ValueKind::kResult);
  graph.AddNode({name, "", op, {}, std::move(inputs), {out}, {}});
  return out;
}

TEST(BufferPlan, ChainReusesTwoBuffers) {
  Graph graph;
  ValueId value = Add(graph, "x", {256}, ValueKind::kInput);
  graph.inputs = {value};
  for (int i = 0; i < 10; ++i) value = Apply(graph, "Compute", {value}, {256});
  graph.outputs = {value};
  const BufferPlan plan = PlanBuffers(graph, Ops());
  EXPECT_EQ(plan.input_bytes, 1024);
  EXPECT_EQ(plan.live_bytes, 2048);
  EXPECT_EQ(plan.arena_bytes, 2048);
}

TEST(BufferPlan, ViewsShareAndKeepTheirRootAlive) {
  Graph graph;
  const ValueId x = Add(graph, "x", {256}, ValueKind::kInput);
  graph.inputs = {x};
  const ValueId a = Apply(graph, "Compute", {x}, {256});
  const ValueId view = Apply(graph, "View", {a}, {16, 16});
  const ValueId b = Apply(graph, "Compute", {x}, {256});
  graph.outputs = {Apply(graph, "Compute", {b, view}, {256})};
  const BufferPlan plan = PlanBuffers(graph, Ops());
  EXPECT_EQ(plan.slots[static_cast<size_t>(view)].root, a);
  EXPECT_EQ(plan.slots[static_cast<size_t>(view)].offset,
            plan.slots[static_cast<size_t>(a)].offset);
  EXPECT_EQ(plan.live_bytes, 3 * 1024);
}

// Ranks read each other's sources until the last member of a bundle is done.
TEST(BufferPlan, ABundleKeepsAllItsOperandsToItsEnd) {
  Graph graph;
  const ValueId x = Add(graph, "x", {256}, ValueKind::kInput);
  graph.inputs = {x};
  std::vector<ValueId> sources = {Apply(graph, "Compute", {x}, {256}),
                                  Apply(graph, "Compute", {x}, {256})};
  std::vector<ValueId> gathered;
  for (ValueId source : sources) {
    gathered.push_back(Apply(graph, "AllGather", {source}, {256}));
    graph.nodes.back().domain = "metadist";
    graph.nodes.back().attributes.set("bundle", int64_t{3});
  }
  graph.outputs = {Apply(graph, "Compute", gathered, {256})};
  EXPECT_EQ(PlanBuffers(graph, Ops()).live_bytes, 4 * 1024);
  for (Node& node : graph.nodes) node.attributes = {};
  EXPECT_EQ(PlanBuffers(graph, Ops()).live_bytes, 3 * 1024);
}

// A collective that overlaps nodes reads and writes until its reader begins.
TEST(BufferPlan, OverlapKeepsOperandsUntilTheReader) {
  const auto live_bytes = [](bool overlaps) {
    Graph graph;
    const ValueId x = Add(graph, "x", {256}, ValueKind::kInput);
    graph.inputs = {x};
    const ValueId gathered =
        Apply(graph, "AllGather", {Apply(graph, "Compute", {x}, {256})}, {256});
    graph.nodes.back().domain = "metadist";
    if (overlaps) graph.nodes.back().attributes.set("overlaps", int64_t{1});
    ValueId other = x;
    for (int i = 0; i < 3; ++i) other = Apply(graph, "Compute", {other}, {256});
    graph.outputs = {Apply(graph, "Compute", {gathered, other}, {256})};
    return PlanBuffers(graph, Ops()).live_bytes;
  };
  EXPECT_EQ(live_bytes(false), 3 * 1024);
  EXPECT_EQ(live_bytes(true), 4 * 1024);
}

// The update reads the old value with its first or its second input; only the first may be
// overwritten. `late`: another node reads the old value after it.
BufferPlan OfState(bool second, bool late) {
  OpTable ops = Ops();
  ops.Add({.name = "Update", .overwrites = 0b01});
  Graph graph;
  const ValueId x = Add(graph, "x", {256}, ValueKind::kInput);
  const ValueId old = Add(graph, "old", {256}, ValueKind::kInput);
  graph.inputs = {x, old};
  const ValueId view = Apply(graph, "View", {old}, {16, 16});
  std::vector<ValueId> operands{view, x};
  if (second) std::swap(operands[0], operands[1]);
  const ValueId made = Apply(graph, "Update", operands, {256});
  graph.outputs = {made};
  if (late) graph.outputs.push_back(Apply(graph, "Compute", {old}, {256}));
  graph.state = {{old, made}};
  EXPECT_EQ(UpdatedInPlace(graph, ops)[0], !second && !late);
  return PlanBuffers(graph, ops);
}

TEST(BufferPlan, StatesAreOverwrittenWhereTheWriterAllowsIt) {
  EXPECT_EQ(OfState(false, false).arena_bytes, 0);
  EXPECT_EQ(OfState(true, false).arena_bytes, 1024);
  EXPECT_EQ(OfState(false, true).arena_bytes, 2048);
}

// Two readers of packed weights each get a copy, which lives while they run.
TEST(BufferPlan, SmallWeightsArePackedAndReadersGetCopies) {
  Graph graph;
  const ValueId x = Add(graph, "x", {256}, ValueKind::kInput);
  graph.inputs = {x};
  const TensorType small{ElementType::kI4, {31, 33}};
  const ValueId w = graph.AddValue({"w", small, ValueKind::kParameter, {}, kNone});
  const ValueId a = Apply(graph, "Compute", {x, w, w}, {256});
  graph.outputs = {Apply(graph, "Compute", {w, a}, {256})};
  const BufferPlan plan = PlanBuffers(graph, Ops());
  EXPECT_EQ(plan.parameter_bytes, (31 * 33 + 1) / 2);
  ASSERT_EQ(plan.unpackings.size(), 2u);
  ASSERT_EQ(plan.slots.size(), graph.values.size() + 2);
  EXPECT_EQ(plan.slots.back().bytes, 31 * 33);
  EXPECT_EQ(plan.slots.back().first, 1);
  EXPECT_EQ(plan.slots.back().last, 1);
  EXPECT_EQ(plan.live_bytes, 2 * 1024 + 31 * 33);
}

TEST(BufferPlan, WhatAViewACollectiveOrTheUserReadsIsNotPacked) {
  for (int way = 0; way < 4; ++way) {
    Graph graph;
    const TensorType small{ElementType::kU2, {16, 64}};
    const ValueId w = graph.AddValue({"w", small, ValueKind::kParameter, {}, kNone});
    const ValueId out =
        graph.AddValue({"out", {ElementType::kU2, {1024}}, ValueKind::kResult, {}, kNone});
    graph.AddNode({"n",
                   way == 1 ? "metadist" : "",
                   way == 1   ? "AllGather"
                   : way == 0 ? "View"
                              : "Compute",
                   {},
                   {w},
                   {out},
                   {}});
    if (way == 3) graph.nodes[0].regions.push_back({"body", std::make_shared<Graph>(), {w}});
    graph.outputs = {way == 2 ? w : out};
    const BufferPlan plan = PlanBuffers(graph, Ops());
    EXPECT_EQ(plan.parameter_bytes, 1024) << way;
    EXPECT_TRUE(plan.unpackings.empty()) << way;
  }
}

TEST(BufferPlan, LiveBuffersNeverOverlapAndLittleIsLostBetweenThem) {
  std::mt19937 random(7);
  int64_t live = 0, arena = 0;
  for (int round = 0; round < 50; ++round) {
    Graph graph;
    std::vector<ValueId> values = {Add(graph, "x", {64}, ValueKind::kInput)};
    graph.inputs = values;
    for (int i = 0; i < 40; ++i) {
      std::vector<ValueId> inputs;
      for (int j = 0; j < 2; ++j) inputs.push_back(values[random() % values.size()]);
      const bool view = random() % 4 == 0;
      const Shape shape = view ? graph.value(inputs[0]).type.shape
                               : Shape{16 * (1 + static_cast<int64_t>(random() % 20))};
      values.push_back(Apply(graph, view ? "View" : "Compute", inputs, shape));
    }
    graph.outputs = {values.back(), values[20]};
    const BufferPlan plan = PlanBuffers(graph, Ops());
    EXPECT_GE(plan.arena_bytes, plan.live_bytes);
    live += plan.live_bytes;
    arena += plan.arena_bytes;
    for (size_t a = 0; a < plan.slots.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const auto &p = plan.slots[a], &q = plan.slots[b];
        if (p.place != BufferPlan::Place::kArena || q.place != p.place || p.root == q.root)
          continue;
        if (p.last < q.first || q.last < p.first) continue;
        EXPECT_TRUE(p.offset + p.bytes <= q.offset || q.offset + q.bytes <= p.offset);
      }
    }
  }
  EXPECT_LT(static_cast<double>(arena), 1.025 * static_cast<double>(live));
}

}  // namespace
}  // namespace metadist
