// SPDX-License-Identifier: Apache-2.0
#include "executor/host/random_data.h"

#include <gtest/gtest.h>

#include <thread>

#include "executor/comm/threads.h"
#include "executor/host/bind_data.h"
#include "executor/run/run.h"
#include "metair/ops/graph_builder.h"

namespace metadist {
namespace {

// Weights of several blocks and of two element types, an index into one of them, and a mask.
Graph Lookup() {
  GraphBuilder b("lookup");
  const auto weight = [&](const char* name, TensorType type) {
    return b.Parameter(name, Tensor::Absent(std::move(type)));
  };
  const ValueId table = weight("table", {ElementType::kF32, {70'001, 3}});
  weight("half", {ElementType::kF16, {70'001, 3}});
  weight("one", {ElementType::kF32, {}});
  const ValueId index = b.Input("index", {ElementType::kI64, {100}});
  b.Input("mask", {ElementType::kBool, {4, 100}});
  b.Output(b.Add("Gather", {table, index}));
  return b.Done().value();
}

TEST(RandomData, PartsMakeTheWholeTensor) {
  const Graph graph = Lookup();
  const RandomData data(graph, 7, OpTable::BuiltIn());
  for (const char* name : {"table", "half", "one", "index", "mask"}) {
    const ValueId id = graph.FindValue(name);
    const Tensor whole = data.Draw(id);
    for (size_t parts : {2, 3, 8}) {
      Tensor made = Tensor::Zeros(whole.type());
      for (size_t part = 0; part < parts; ++part)
        data.DrawPart(id, part, parts, made.mutable_bytes());
      EXPECT_TRUE(Identical(whole, made)) << name << " in " << parts;
    }
  }
}

TEST(RandomData, NoTwoBlocksAreAlike) {
  const Graph graph = Lookup();
  const Tensor table = RandomData(graph, 7, OpTable::BuiltIn()).Draw(graph.FindValue("table"));
  constexpr int kBlock = 1 << 16;
  const float* x = table.data<float>();
  for (int i = 0; i < 10; ++i) EXPECT_NE(x[i], x[i + kBlock]);
}

TEST(WholeData, RanksTakeWhatOneWouldDraw) {
  const Graph graph = Lookup();
  RunOptions options;
  options.random_weights = options.random_inputs = true;
  options.seed = 7;
  const Program program = SingleDevice(graph);
  const WholeData whole = WholeData::Bind(program, {}, {}, options).value();
  const RandomData data(graph, 7, OpTable::BuiltIn());
  auto group = MakeThreadGroup(3);
  std::vector<std::vector<Tensor>> taken(group.size());
  std::vector<std::thread> ranks;
  for (size_t rank = 0; rank < group.size(); ++rank)
    ranks.emplace_back([&, rank] {
      for (size_t v = 0; v < graph.values.size(); ++v)
        taken[rank].push_back(whole.Take(0, static_cast<ValueId>(v), *group[rank]).value());
    });
  for (std::thread& rank : ranks) rank.join();
  for (const std::vector<Tensor>& of_rank : taken)
    for (ValueId v = 0; v < 5; ++v)
      EXPECT_TRUE(Identical(of_rank[static_cast<size_t>(v)], data.Draw(v))) << v;
}

TEST(WholeData, DrawsWhatTheGraphOfTheModelTakes) {
  const Graph model = Lookup();
  Graph graph = Lookup();
  graph.nodes.clear();
  const Program program = SingleDevice(graph);
  RunOptions options;
  options.random_weights = options.random_inputs = true;
  options.drawn_for = &model;
  const WholeData whole = WholeData::Bind(program, {}, {}, options).value();
  const auto world = MakeThreadGroup(1);
  const ValueId index = graph.FindValue("index");
  const Tensor taken = whole.Take(0, index, *world[0]).value();
  EXPECT_TRUE(Identical(taken, RandomData(model, 0, OpTable::BuiltIn()).Draw(index)));
}

}  // namespace
}  // namespace metadist
