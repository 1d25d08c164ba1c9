// SPDX-License-Identifier: Apache-2.0
// Propagation of block-cyclic layouts through a graph.
#include "planner/space/block_cyclic.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "metair/ir/text.h"
#include "planner/rules/book/rule_book.h"
#include "planner/space/block_cyclic_spread.h"
#include "planner/space/strategies.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

Cut Whole(int64_t size) { return {0, 0, 1, {{size, 1}}}; }

TEST(BlockCyclic, BundlesThatAllRanksShareAreRuns) {
  const Cut heads{0, 0, 1, {{12, 64}}};
  EXPECT_TRUE(BlockCyclicOf(heads, 4).in_a_row());
  EXPECT_EQ(BlockCyclicOf(heads, 8), (BlockCyclic{1, {{12, 64}}}));
  const Cut blocks{0, 0, 1, {{24, 1}, {24, 1}, {24, 1}}};
  EXPECT_EQ(BlockCyclicOf(blocks, 4), (BlockCyclic{3, {{24, 1}}}));
  const Cut unequal{0, 0, 1, {{32, 1}, {8, 1}, {8, 1}}};
  EXPECT_EQ(BlockCyclicOf(unequal, 4).blocks(), 3);
}

TEST(BlockCyclic, GroupsFollowTheirDim) {
  const BlockCyclic thirds{3, {{24, 1}}};
  EXPECT_EQ(BlockCyclicOfGroups(thirds, Whole(72), 4), thirds);
  // Groups of 6 elements: each third contains four of them.
  EXPECT_EQ(BlockCyclicOfGroups(thirds, {0, 0, 1, {{12, 6}}}, 4), (BlockCyclic{3, {{4, 1}}}));
  EXPECT_EQ(BlockCyclicOfGroups(thirds, {0, 0, 1, {{9, 8}}}, 4), std::nullopt);
  // The dim itself has three blocks of groups.
  EXPECT_TRUE(BlockCyclicOfGroups(thirds, {0, 0, 3, {{24, 1}}}, 4)->in_a_row());
  EXPECT_EQ(BlockCyclicOfGroups(thirds, {0, 0, 2, {{36, 1}}}, 4), std::nullopt);
}

TEST(BlockCyclic, AllThatAFactorCutsHasOneLayout) {
  Factor factor{.name = "a",
                .inputs = {{0, 1, 2, {{6, 4}}}},
                .outputs = {{0, 0, 1, {{6, 1}}}},
                .literals = {{1, "", 0, {0, 0, 1, {{6, 1}}}}},
                .any_order = true};
  const BlockCyclic layout{1, {{4, 1}, {2, 1}}};
  const auto in_blocks = CutBlockCyclic(factor, layout);
  ASSERT_TRUE(in_blocks.has_value());
  EXPECT_EQ(in_blocks->inputs[0], (Cut{0, 1, 2, {{4, 4}, {2, 4}}}));
  EXPECT_EQ(in_blocks->outputs[0], (Cut{0, 0, 1, {{4, 1}, {2, 1}}}));
  EXPECT_EQ(in_blocks->literals[0].view, (Cut{0, 0, 1, {{4, 1}, {2, 1}}}));
  EXPECT_EQ(in_blocks->groups(), 2);
  factor.any_order = false;
  EXPECT_FALSE(CutBlockCyclic(factor, layout).has_value());
  factor.any_order = true;
  EXPECT_FALSE(CutBlockCyclic(factor, {1, {{4, 1}, {3, 1}}}).has_value());
  factor.literals[0].kind = LocalEntry::Kind::kShifted;
  EXPECT_FALSE(CutBlockCyclic(factor, layout).has_value());
}

constexpr const char* kFused = R"(graph fused opset 26 {
  input %x: f32[4,8]
  input %w: f32[8,24]
  input %b: f32[24]
  constant %sizes: i64[3] = [8, 8, 8]
  %p: f32[4,24] = MatMul(%x, %w) {} @product
  %s: f32[4,24] = Add(%p, %b) {} @bias
  %q: f32[4,8], %k: f32[4,8], %v: f32[4,8] = Split(%s, %sizes) {axis = 1} @split
  %qk: f32[4,8] = Mul(%q, %k) {} @mul
  %y: f32[4,8] = Add(%qk, %v) {} @add
  output %y
}
)";

class BlockCyclicSpread : public testing::Test {
 protected:
  void Read(const std::string& text) {
    auto parsed = ParseGraph(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    graph_ = std::move(parsed).value();
    layouts_.clear();
    std::vector<const Rule*> rules;
    for (const Node& node : graph_.nodes) rules.push_back(&rules_.For(graph_, node));
    layouts_ = SpreadBlockCyclic(graph_, rules, mesh_.ranks());
  }

  // The layouts of the node's inputs and outputs over its strategies.
  std::set<std::string> LayoutsOf(const std::string& name, size_t limit = 96) {
    std::set<std::string> out;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.name != name) continue;
      const StrategySpace space{
          &graph_, &OpTable::BuiltIn(), &mesh_, &cluster_, static_cast<int64_t>(limit)};
      const Rule& rule = rules_.For(graph_, node);
      for (const PricedStrategy& s : StrategiesOf(space, node, rule, nullptr, layouts_[n])) {
        std::string text;
        for (const Sharding& in : s.strategy.inputs) text += ShardingText(in, mesh_) + " ";
        out.insert(text + "-> " + ShardingText(s.strategy.outputs[0], mesh_));
      }
    }
    return out;
  }

  RuleBook rules_{OpTable::BuiltIn()};
  Graph graph_;
  Mesh mesh_ = ParseMesh("a=2").value();
  Cluster cluster_ = TestCluster(2);
  std::vector<std::vector<BlockCyclicFactor>> layouts_;
};

TEST_F(BlockCyclicSpread, BlocksOfASplitReachTheProduct) {
  Read(kFused);
  EXPECT_EQ(LayoutsOf("bias").count("[][(3 8:a)] [(3 8:a)] -> [][(3 8:a)]"), 1u);
  EXPECT_EQ(LayoutsOf("product").count("[][] [][(3 8:a)] -> [][(3 8:a)]"), 1u);
  // Rows are not block-cyclic, and neither is the output of the split.
  EXPECT_EQ(layouts_[0].size(), 1u);
  EXPECT_TRUE(layouts_[2].empty());
  EXPECT_TRUE(layouts_[3].empty());
}

TEST_F(BlockCyclicSpread, UnequalBlocksToo) {
  std::string text = kFused;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("[8, 8, 8]", "[16, 4, 4]");
  replace("%q: f32[4,8], %k: f32[4,8], %v: f32[4,8]", "%q: f32[4,16], %k: f32[4,4], %v: f32[4,4]");
  replace("  %qk: f32[4,8] = Mul(%q, %k) {} @mul\n  %y: f32[4,8] = Add(%qk, %v) {} @add\n",
          "  %y: f32[4,4] = Add(%k, %v) {} @add\n");
  Read(text);
  EXPECT_EQ(LayoutsOf("product").count("[][] [][(16:a)+(4:a)+(4:a)] -> [][(16:a)+(4:a)+(4:a)]"),
            1u);
}

// 3 heads of 4 on 2 ranks: one rank has two heads.
TEST_F(BlockCyclicSpread, WholeHeadsReachTheProduct) {
  Read(R"(graph heads opset 26 {
  input %x: f32[4,8]
  input %w: f32[8,12]
  constant %shape: i64[3] = [4, 3, 4]
  %p: f32[4,12] = MatMul(%x, %w) {} @product
  %r: f32[4,12] = Relu(%p) {} @relu
  %y: f32[4,3,4] = Reshape(%r, %shape) {} @heads
  output %y
}
)");
  EXPECT_EQ(LayoutsOf("product").count("[][] [][(3:a 4)] -> [][(3:a 4)]"), 1u);
  EXPECT_EQ(LayoutsOf("product").count("[][] [][(3 4:a)] -> [][(3 4:a)]"), 1u);
}

// Rows of a triangle depend on their position, a window reads its neighbours, and a lookup counts
// from the start of the piece.
TEST_F(BlockCyclicSpread, FactorsThatNeedRunsAreLeftOut) {
  Read(R"(graph runs opset 26 {
  input %x: f32[4,6,16]
  input %i: i64[5]
  constant %k: i64[] = [0]
  constant %sizes: i64[2] = [8, 8]
  %t: f32[4,6,16] = Trilu(%x, %k) {} @triangle
  %a: f32[4,6,8], %b: f32[4,6,8] = Split(%t, %sizes) {axis = 2} @split
  %m: f32[4,6,8] = Add(%a, %b) {} @sum
  %w: f32[4,6,16] = AveragePool(%x) {kernel_shape = [3], pads = [1, 1]} @window
  %c: f32[4,6,8], %d: f32[4,6,8] = Split(%w, %sizes) {axis = 2} @other
  output %m
  output %c
  output %d
}
)");
  EXPECT_TRUE(layouts_[0].empty());
  EXPECT_TRUE(layouts_[3].empty());
  for (const std::string& layout : LayoutsOf("triangle"))
    EXPECT_EQ(layout.find("(2 8:a)"), std::string::npos) << layout;
}

// Strategies of the unmodified rule come first and are never dropped for others.
TEST_F(BlockCyclicSpread, OwnStrategiesStay) {
  Read(kFused);
  const std::set<std::string> all = LayoutsOf("product");
  EXPECT_EQ(LayoutsOf("product", all.size() - 1).count("[][] [][(3 8:a)] -> [][(3 8:a)]"), 0u);
  EXPECT_EQ(LayoutsOf("product", all.size() - 1).size(), all.size() - 1);
}

}  // namespace
}  // namespace metadist
