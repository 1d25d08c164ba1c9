// SPDX-License-Identifier: Apache-2.0
// Strategies and cuts on hand-written graphs and rules: nothing here is discovered.
#include "planner/space/strategies.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "metair/ir/glob.h"
#include "metair/ir/text.h"
#include "planner/space/dim_cuts.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

Cut Plain(int tensor, int dim, int64_t size) { return {tensor, dim, 1, {{size, 1}}}; }

// [m, k] x [k, n].
Rule ProductRule(int64_t m, int64_t k, int64_t n) {
  Rule rule;
  rule.factors = {
      {.name = "i", .inputs = {Plain(0, 0, m)}, .outputs = {Plain(0, 0, m)}},
      {.name = "j", .inputs = {Plain(1, 1, n)}, .outputs = {Plain(0, 1, n)}},
      {.name = "k",
       .inputs = {Plain(0, 1, k), Plain(1, 0, k)},
       .outputs = {},
       .reductions = {{0, ReduceOp::kSum}}},
  };
  rule.pass_through = {{ReduceOp::kSum, {0}}, {ReduceOp::kSum, {1}}};
  return rule;
}

class Strategies : public testing::Test {
 protected:
  ValueId Add(const std::string& name, Shape shape, ValueKind kind) {
    return graph_.AddValue({name, {ElementType::kF32, std::move(shape)}, kind, {}, kNone});
  }

  const Node& Product(int64_t m, int64_t k, int64_t n) {
    Node node{"product", "", "MatMul", {}, {}, {}, {}};
    node.inputs = {Add("x", {m, k}, ValueKind::kInput), Add("w", {k, n}, ValueKind::kParameter)};
    node.outputs = {Add("y", {m, n}, ValueKind::kResult)};
    return graph_.node(graph_.AddNode(std::move(node)));
  }

  std::vector<PricedStrategy> Of(const Node& node, const Rule& rule, const char* mesh) {
    mesh_ = ParseMesh(mesh).value();
    cluster_ = TestCluster(static_cast<int>(mesh_.ranks()));
    return StrategiesOf({&graph_, &OpTable::BuiltIn(), &mesh_, &cluster_, limit_}, node, rule);
  }

  std::string Text(const PricedStrategy& s) const {
    std::string out;
    for (const Sharding& in : s.strategy.inputs) out += ShardingText(in, mesh_) + " ";
    return out + "-> " + ShardingText(s.strategy.outputs[0], mesh_);
  }

  std::set<std::string> Texts(const std::vector<PricedStrategy>& all) const {
    std::set<std::string> out;
    for (const PricedStrategy& s : all) out.insert(Text(s));
    return out;
  }

  // A convolution over rows that are padded by one at both ends.
  const Node& AddWindows(int64_t rows, int64_t taps, int64_t made) {
    Node node{"window", "", "Conv", {}, {}, {}, {}};
    node.attributes.set("pads", std::vector<int64_t>{1, 0, 1, 0});
    node.inputs = {Add("x", {1, 2, rows, 3}, ValueKind::kInput),
                   Add("w", {2, 2, taps, 1}, ValueKind::kParameter)};
    node.outputs = {Add("y", {1, 2, made, 3}, ValueKind::kResult)};
    return graph_.node(graph_.AddNode(std::move(node)));
  }

  Graph graph_;
  Mesh mesh_;
  Cluster cluster_;
  int64_t limit_ = 192;
};

TEST_F(Strategies, OfAMatrixProductOnOneAxis) {
  const auto all = Of(Product(8, 4, 12), ProductRule(8, 4, 12), "a=2");
  EXPECT_EQ(Text(all[0]), "[][] [][] -> [][]");
  EXPECT_EQ(Texts(all),
            (std::set<std::string>{"[][] [][] -> [][]",
                                   "[a][] [][] -> [a][]",
                                   "[][] [][a] -> [][a]",
                                   "[][a] [a][] -> [][] partial{sum: a}",
                                   "[][] partial{sum: a} [][] -> [][] partial{sum: a}",
                                   "[][] [][] partial{sum: a} -> [][] partial{sum: a}"}));
}

TEST_F(Strategies, OfAMatrixProductOn2x2) {
  const auto all = Of(Product(8, 4, 12), ProductRule(8, 4, 12), "2x2");
  EXPECT_EQ(all.size(), 36u);  // six choices per axis, all different
  EXPECT_EQ(Texts(all).size(), 36u);
  EXPECT_EQ(Texts(all).count("[a][] [][b] -> [a][b]"), 1u);
  EXPECT_EQ(Texts(all).count("[a,b][] [][] -> [a,b][]"), 1u);
  EXPECT_EQ(Texts(all).count("[][a] partial{sum: b} [a][] -> [][] partial{sum: a,b}"), 1u);
}

TEST_F(Strategies, WorkShrinksWithThePieces) {
  const auto all = Of(Product(4096, 4096, 4096), ProductRule(4096, 4096, 4096), "a=4");
  for (const PricedStrategy& s : all) {
    const bool idle = s.strategy.axes[0].empty() || s.strategy.axes[0][0] == '~';
    EXPECT_EQ(s.compute.seconds < 0.5 * all[0].compute.seconds, !idle) << Text(s);
  }
}

TEST_F(Strategies, TooFewGroupsOrUnevenOnes) {
  Rule rule = ProductRule(3, 4, 12);
  const Node& node = Product(3, 4, 12);
  EXPECT_EQ(Texts(Of(node, rule, "a=2")).count("[a][] [][] -> [a][]"), 1u);
  EXPECT_EQ(Texts(Of(node, rule, "a=4")).count("[a][] [][] -> [a][]"), 0u);
  rule.factors[0].even_only = true;
  EXPECT_EQ(Texts(Of(node, rule, "a=2")).count("[a][] [][] -> [a][]"), 0u);
  rule.factors[0].even_only = false;
  rule.factors[0].least_piece = 2;
  EXPECT_EQ(Texts(Of(node, rule, "a=2")).count("[a][] [][] -> [a][]"), 0u);
}

TEST_F(Strategies, AWrongRuleCostsAStrategyOnly) {
  Rule rule = ProductRule(8, 4, 12);
  rule.factors[2].inputs.pop_back();  // cuts k of one operand only
  const auto all = Of(Product(8, 4, 12), rule, "a=2");
  EXPECT_EQ(Texts(all).count("[][a] [][] -> [][] partial{sum: a}"), 0u);
  EXPECT_EQ(Texts(all).count("[a][] [][] -> [a][]"), 1u);
}

TEST_F(Strategies, PartialsOfTwoReductionsAreRefused) {
  Rule rule = ProductRule(8, 4, 12);
  rule.factors[2].reductions[0] = ReduceOp::kMax;
  for (const PricedStrategy& s : Of(Product(8, 4, 12), rule, "2x2"))
    EXPECT_EQ(Text(s).find("; "), std::string::npos) << Text(s);
}

TEST_F(Strategies, TheLimitKeepsTheWholeAndTheBusiest) {
  limit_ = 10;
  const auto all = Of(Product(8, 4, 12), ProductRule(8, 4, 12), "2x2");
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(Text(all[0]), "[][] [][] -> [][]");
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_EQ(std::count(all[i].strategy.axes.begin(), all[i].strategy.axes.end(), ""), 0);
}

TEST_F(Strategies, LiteralsFollowTheCut) {
  const ValueId x = Add("x", {8, 6}, ValueKind::kInput);
  const ValueId shape = Add("shape", {3}, ValueKind::kConstant);
  graph_.value(shape).data = Tensor::Of<int64_t>({3}, {8, 2, 3});
  graph_.value(shape).type = graph_.value(shape).data.type();
  const ValueId y = Add("y", {8, 2, 3}, ValueKind::kResult);
  const NodeId id = graph_.AddNode({"split", "", "Reshape", {}, {x, shape}, {y}, {}});
  Rule rule;
  rule.factors = {{.name = "a",
                   .inputs = {Plain(0, 0, 8)},
                   .outputs = {Plain(0, 0, 8)},
                   .literals = {{1, "", 0, Plain(0, 0, 8)}}},
                  {.name = "b",
                   .inputs = {{0, 1, 1, {{2, 3}}}},
                   .outputs = {Plain(0, 1, 2)},
                   .literals = {{1, "", 1, Plain(0, 0, 2)}}},
                  {.name = "c",
                   .inputs = {{0, 1, 2, {{3, 1}}}},
                   .outputs = {Plain(0, 2, 3)},
                   .literals = {{1, "", 2, Plain(0, 0, 3)}}}};
  const auto all = Of(graph_.node(id), rule, "a=2");
  EXPECT_EQ(Texts(all),
            (std::set<std::string>{"[][] [] -> [][][]",
                                   "[a][] [] -> [a][][]",
                                   "[][a] [] -> [][a][]",
                                   "[][(2 3:a)] [] -> [][][a]"}));
  EXPECT_TRUE(all[0].strategy.literals.empty());
  EXPECT_EQ(all[1].strategy.literals.size(), 1u);
}

// A convolution of 3 over 16 rows, padded by one: ranks take a row of each neighbour, padding stays
// at the ends.
TEST_F(Strategies, WindowsTakeAHalo) {
  const Node& added = AddWindows(16, 3, 16);
  Cut input = Plain(0, 2, 16);
  input.halo = {1, 1};
  Rule rule;
  rule.factors = {{.name = "h", .inputs = {input}, .outputs = {Plain(0, 2, 16)}}};
  using Kind = LocalEntry::Kind;
  rule.factors[0].literals = {{-1, "pads", 0, Plain(0, 0, 16), Kind::kFirstOnly},
                              {-1, "pads", 2, Plain(0, 0, 16), Kind::kLastOnly}};
  const auto all = Of(added, rule, "a=4");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(Text(all[1]), "[][][a~1,1][] [][][][] -> [][][a][]");
  const std::vector<LocalLiteral>& literals = all[1].strategy.literals;
  using Pads = std::vector<int64_t>;
  const auto pads = [&](int64_t rank) {
    Pads values{1, 0, 1, 0};
    for (const LocalLiteral& literal : literals)
      values = LocalValues(values, literal.entries, mesh_, {rank});
    return values;
  };
  EXPECT_EQ(pads(0), (Pads{1, 0, 0, 0}));
  EXPECT_EQ(pads(1), (Pads{0, 0, 0, 0}));
  EXPECT_EQ(pads(3), (Pads{0, 0, 1, 0}));
  // A piece of one row has no room for a halo of two rows.
  rule.factors[0].inputs[0].halo = {2, 0};
  EXPECT_EQ(Of(added, rule, "a=16").size(), 1u);
  // If all ranks keep the padding, the shapes are not those promised.
  rule.factors[0].inputs[0].halo = {1, 1};
  rule.factors[0].literals.clear();
  EXPECT_EQ(Of(added, rule, "a=4").size(), 1u);
}

// A convolution of 2 over 3 rows, padded by one on both sides, makes 4 rows: more pieces than the
// input has rows.
TEST_F(Strategies, WindowsOfMorePiecesThanRows) {
  const Node& added = AddWindows(3, 2, 4);
  Cut input = Plain(0, 2, 4);
  input.halo = {.before = 1, .behind = 0, .of = 3};
  Rule rule;
  rule.factors = {{.name = "h", .inputs = {input}, .outputs = {Plain(0, 2, 4)}}};
  using Kind = LocalEntry::Kind;
  rule.factors[0].literals = {{-1, "pads", 0, Plain(0, 0, 4), Kind::kFirstOnly},
                              {-1, "pads", 2, Plain(0, 0, 4), Kind::kLastOnly}};
  EXPECT_EQ(Of(added, rule, "a=2").size(), 2u);
  EXPECT_EQ(Of(added, rule, "a=4").size(), 1u);
}

// Number of strategies of a transposed convolution of 12 rows with stride 2 on a mesh.
class Transposed : public Strategies {
 protected:
  size_t Count(int64_t taps, std::vector<int64_t> pads, Cut input, Cut output, const char* mesh) {
    Node node{"window", "", "ConvTranspose", {}, {}, {}, {}};
    node.attributes.set("strides", std::vector<int64_t>{2});
    node.attributes.set("pads", std::move(pads));
    node.inputs = {Add("x", {1, 1, 12}, ValueKind::kInput),
                   Add("w", {1, 1, taps}, ValueKind::kParameter)};
    node.outputs = {Add("y", {1, 1, output.halo.of}, ValueKind::kResult)};
    Rule rule;
    rule.factors = {{.name = "h", .inputs = {std::move(input)}, .outputs = {std::move(output)}}};
    return Of(graph_.node(graph_.AddNode(std::move(node))), rule, mesh).size();
  }
};

TEST_F(Transposed, WholeGroupsThatAreNotThePiecesKept) {
  Cut input = Plain(0, 2, 12);
  input.halo = {.before = 0, .behind = 1};
  Cut output{0, 2, 1, {{12, 2}}};
  output.halo = {.before = 0, .behind = 1, .of = 23};
  EXPECT_EQ(Count(3, {1, 1}, input, output, "a=2"), 2u);
  EXPECT_EQ(Count(3, {1, 1}, input, output, "a=4"), 2u);
  // Pieces made begin at rows 0, 6, 12, 16, 20; pieces kept would begin at 0, 5, 10, 15, 19.
  EXPECT_EQ(Count(3, {1, 1}, input, output, "a=5"), 1u);
}

TEST_F(Transposed, WhatIsMadeBesideAPieceIsNotKept) {
  Cut input = Plain(0, 2, 13);
  input.halo = {.before = 1, .behind = 0, .of = 12};
  Cut output{0, 2, 1, {{13, 2}}};
  output.halo = {.before = 2, .behind = 1, .of = 25};
  // Valid pieces begin at rows 0, 8, 14, 20; of the rows kept, 7, 13 and 19 are outside of them.
  EXPECT_EQ(Count(4, {0, 1}, input, output, "a=4"), 1u);
}

TEST_F(Strategies, SizesKnownOnlyWhenRunningStayWhole) {
  const ValueId x = Add("x", {kRunTimeSize, 4}, ValueKind::kInput);
  const ValueId y = Add("y", {kRunTimeSize, 4}, ValueKind::kResult);
  const NodeId id = graph_.AddNode({"r", "", "Relu", {}, {x}, {y}, {}});
  Rule rule;
  rule.factors = {{.name = "a", .inputs = {Plain(0, 1, 4)}, .outputs = {Plain(0, 1, 4)}}};
  const auto all = Of(graph_.node(id), rule, "a=2");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].compute.seconds, 0);
}

TEST(DimCuts, NestOrRefuse) {
  const Mesh mesh = ParseMesh("2x2").value();
  const Cut outer{0, 0, 1, {{4, 6}}};
  const Cut inner{0, 0, 4, {{6, 1}}};
  const auto both = ShardingOfCuts(24, {{&inner, {1}}, {&outer, {0}}});
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(ShardingText({{*both}, {}}, mesh), "[(4:a 6:b)]");
  const Cut overlapping{0, 0, 2, {{12, 1}}};
  EXPECT_FALSE(ShardingOfCuts(24, {{&outer, {0}}, {&overlapping, {1}}}).has_value());
  const Cut parts{0, 0, 1, {{16, 1}, {8, 1}}};
  EXPECT_EQ(ShardingText({{*ShardingOfCuts(24, {{&parts, {0}}})}, {}}, mesh), "[(16:a)+(8:a)]");
  EXPECT_FALSE(ShardingOfCuts(24, {{&parts, {0}}, {&outer, {1}}}).has_value());
  EXPECT_FALSE(ShardingOfCuts(20, {{&outer, {0}}}).has_value());
}

TEST(Glob, Fits) {
  EXPECT_TRUE(GlobFits("h.*.weight", "h.12.weight"));
  EXPECT_TRUE(GlobFits("*", ""));
  EXPECT_TRUE(GlobFits("a?c", "abc"));
  EXPECT_TRUE(GlobFits("*b*b", "abbb"));
  EXPECT_FALSE(GlobFits("a?c", "ac"));
  EXPECT_FALSE(GlobFits("h.*.weight", "h.12.bias"));
  EXPECT_FALSE(GlobFits("", "x"));
}

}  // namespace
}  // namespace metadist
