// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/micro_batches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "metair/ir/text.h"

namespace metadist {
namespace {

// A sum over micro-batches, what is made of it, and results of single micro-batches.
const char* const kText = R"(graph g opset 26 {
  input %x: f32[4]
  input %rate: f32[]
  input %s: f32[4]
  input %steps: f32[]
  parameter %w: f32[4] = ...
  constant %one: f32[] = [1.0]
  %xw: f32[4] = Mul(%x, %w) @xw
  %r: f32[] = Neg(%rate) @r
  %t: f32[4] = metadist.Accumulate(%s, %xw) @t
  %rt: f32[4] = Mul(%r, %t) @rt
  %w.next: f32[4] = Add(%w, %rt) @w.next
  %steps.next: f32[] = Add(%steps, %one) @steps.next
  %seen: f32[4] = Exp(%xw) @seen
  %told: f32[4] = Exp(%t) @told
  output %seen
  output %told
  output %w.next
  output %steps.next
  state %w -> %w.next
  state %steps -> %steps.next
  sum %s -> %t
  micro_batches 3
}
)";

TEST(MicroBatches, WhatSumsDoNotNeedRunsOnce) {
  const Graph graph = ParseGraph(kText).value();
  const std::vector<bool> once = NodesRunOnce(graph);
  std::vector<std::string> names;
  for (size_t n = 0; n < once.size(); ++n)
    if (once[n]) names.push_back(graph.nodes[n].name);
  EXPECT_EQ(names, (std::vector<std::string>{"r", "rt", "w.next", "steps.next", "told"}));
}

TEST(MicroBatches, WithoutSumsAllNodesAlwaysRun) {
  Graph graph = ParseGraph(kText).value();
  graph.state.pop_back();
  EXPECT_EQ(NodesRunOnce(graph), std::vector<bool>(graph.nodes.size(), false));
}

TEST(MicroBatches, InputsWithADimThatAreNotCarriedAreBatched) {
  const Graph graph = ParseGraph(kText).value();
  EXPECT_EQ(BatchedInputs(graph), std::vector<ValueId>{graph.FindValue("x")});
}

TEST(MicroBatches, TextSaysWhatIsSummed) {
  const Graph graph = ParseGraph(kText).value();
  EXPECT_EQ(GraphText(graph), kText);
  ASSERT_EQ(graph.state.size(), 3U);
  EXPECT_FALSE(graph.state[0].sums);
  EXPECT_TRUE(graph.state[2].sums);
  EXPECT_EQ(graph.micro_batches, 3);
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(MicroBatches, WrongTextsAreRefused) {
  const auto error = [](const std::string& text) {
    const auto graph = ParseGraph(text);
    return graph.ok() ? "" : graph.error().text();
  };
  for (const char* count : {"0", "-1", "65537", "9223372036854775807"})
    EXPECT_NE(error(Replaced(kText, "micro_batches 3", "micro_batches " + std::string(count)))
                  .find("expected 1 to 65536"),
              std::string::npos)
        << count;
  EXPECT_NE(error(Replaced(kText, "state %w", "sum %w")).find("a sum must be an input"),
            std::string::npos);
}

}  // namespace
}  // namespace metadist
