// SPDX-License-Identifier: Apache-2.0
// Composite rules: the rules found, and that a wrong decomposition gives none.
#include "planner/rules/compose/composite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "planner/rules/book/rule_book.h"
#include "planner/rules/compose/composite_check.h"
#include "planner/rules/probe/shrink.h"
#include "planner/rules/search/discover_small.h"
#include "tests/planner/rules/composite_cases.h"

namespace metadist::testing {
namespace {

const char* const kGolden = METADIST_SOURCE_DIR "/tests/planner/rules/composite.golden";

const Node& Last(const Graph& graph) { return graph.nodes.back(); }

// "    f: LATE 0 exp" for every other way through a factor.
std::string OthersText(const Rule& rule) {
  std::string text;
  for (const Factor& factor : rule.factors)
    for (const InnerUse& other : factor.others)
      text += fmt::format("    {}: {}\n", factor.name, other.recipe);
  return text;
}

TEST(Composite, RulesEqualTheGolden) {
  RuleBook book(OpTable::BuiltIn());
  std::string text;
  for (const CompositeCase& one : CompositeCases()) {
    const Graph graph = GraphOf(one);
    const Rule& rule = book.For(graph, Last(graph));
    text += fmt::format("{}\n    {}\n{}", one.name, rule.text, OthersText(rule));
    if (std::getenv("METADIST_SHOW_COST") == nullptr) continue;
    const SignatureReport report = book.Report(graph).back();
    const OpDef& op = *OpTable::BuiltIn().Find(Last(graph));
    Graph inner;  // empty for kernel-only rules
    if (op.decompose != nullptr) inner = op.decompose(CallOf(op, graph, Last(graph))).value();
    for (const SignatureReport& row : book.Report(inner))
      fmt::print(
          "    {:.2f} ms {} {} {} runs\n", row.seconds * 1e3, row.op, row.rule, row.kernel_runs);
    fmt::print("{}: {:.2f} ms, {} executions\n", one.name, report.seconds * 1e3, report.executions);
  }
  if (std::getenv("METADIST_UPDATE_GOLDENS") != nullptr) std::ofstream(kGolden) << text;
  std::ifstream file(kGolden);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, expected);
}

// 2 more seeds, or METADIST_EXAMPLE_SEEDS.
TEST(Composite, RulesDoNotDependOnTheSeed) {
  const char* many = std::getenv("METADIST_EXAMPLE_SEEDS");
  const uint64_t seeds = many == nullptr ? 2 : std::strtoull(many, nullptr, 10);
  std::vector<std::string> first;
  for (uint64_t seed = 0; seed <= seeds; ++seed) {
    RuleBook book(OpTable::BuiltIn(), {.seed = seed});
    std::vector<std::string> texts;
    for (const CompositeCase& one : CompositeCases()) {
      const Graph graph = GraphOf(one);
      texts.push_back(book.For(graph, Last(graph)).text);
    }
    if (seed == 0) first = texts;
    EXPECT_EQ(texts, first) << seed;
  }
}

// The number of composite factors of an operator under another decomposition.
int CompositesOf(const char* op,
                 const CompositeCase& one,
                 Result<Graph> (*decompose)(const OpCall&)) {
  OpTable table = OpTable::BuiltIn();
  OpDef changed = *table.Find("", op);
  changed.decompose = decompose;
  table.Add(changed);
  RuleBook book(table);
  const Graph graph = GraphOf(one);
  int count = 0;
  for (const Factor& factor : book.For(graph, Last(graph)).factors) count += factor.composite;
  return count;
}

const CompositeCase& CaseNamed(const std::string& name) {
  for (const CompositeCase& one : CompositeCases())
    if (name == one.name) return one;
  CHECK(false, name.c_str());
  return CompositeCases()[0];
}

// The count of elements, doubled: the effect of using a local count instead of the global one.
Result<Graph> WithAnotherCount(const OpCall& call) {
  Graph graph = TRY(OpTable::BuiltIn().Find("", "ReduceMean")->decompose(call));
  for (Value& value : graph.values)
    if (value.kind == ValueKind::kConstant && ClassOf(value.type.element) == ElementClass::kFloat)
      value.data = Tensor::Of<double>({}, {value.data.ToDoubles()[0] / 2}).Cast(value.type.element);
  return graph;
}

TEST(Composite, AWrongDecompositionMakesNoRule) {
  EXPECT_EQ(CompositesOf(
                "Softmax", CaseNamed("softmax"), OpTable::BuiltIn().Find("", "Softmax")->decompose),
            1);
  EXPECT_EQ(CompositesOf("ReduceMean", CaseNamed("mean"), WithAnotherCount), 0);
}

// An array of zeros that the decomposition writes to is made in pieces, although no factor cuts it.
TEST(Composite, WhatIsMadeOfNothingIsMadeInPieces) {
  const CompositeCase one{
      "max_unpool",
      "input %x: f64[4,6,3,5]\n  input %i: i64[4,6,3,5]",
      "%y: f64[4,6,6,10] = MaxUnpool(%x, %i) {kernel_shape = [2, 2], strides = [2, 2]} @n",
      "%y"};
  const Graph graph = GraphOf(one);
  const OpDef& op = *OpTable::BuiltIn().Find(Last(graph));
  const Graph inner = op.decompose(CallOf(op, graph, Last(graph))).value();
  RuleBook book(OpTable::BuiltIn());
  const Rule& rule = book.For(graph, Last(graph));
  ASSERT_EQ(2u, rule.factors.size());
  int zeros = 0;
  for (size_t n = 0; n < inner.nodes.size(); ++n) {
    if (inner.nodes[n].op != "Expand") continue;
    ++zeros;
    for (const Factor& factor : rule.factors) EXPECT_NE("", factor.inner.nodes[n]) << factor.name;
  }
  EXPECT_EQ(1, zeros);
}

// A kernel as long as its image may be taken for one size with it. Trials that enlarge both would
// use ever larger kernels.
TEST(Composite, AWindowMovesNoOtherSize) {
  const Graph graph = GraphOf(
      {"kernel_of_an_image",
       "input %x: i8[1,1,2,2]\n  input %xs: f32[]\n  constant %xz: i8[] = [0]\n"
       "  input %w: i8[2,1,2,2]\n  input %ws: f32[2]\n  input %wz: i8[2]\n  input %ys: f32[]\n"
       "  constant %yz: i8[] = [2]\n  input %b: i32[2]",
       "%y: i8[1,2,2,2] = QLinearConv(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b) "
       "{kernel_shape = [2, 2], pads = [0, 1, 1, 0]} @n",
       "%y"});
  RuleBook book(OpTable::BuiltIn());
  EXPECT_EQ(3u, book.For(graph, Last(graph)).factors.size());
  for (const auto& [signature, record] : book.File().records)
    for (const int64_t atom : record.found.atoms) EXPECT_LT(atom, 40) << signature;
}

// A rule without one of its exchanges (a softmax merged without the maximum, a norm with the mean
// of each piece) is refuted by running it.
TEST(Composite, EveryExchangeIsNeeded) {
  const OpTable& table = OpTable::BuiltIn();
  RuleBook book(table);
  const InnerFound rules = [&](const Graph& graph, const Node& node) {
    return book.Found(graph, node);
  };
  int tried = 0;
  for (const CompositeCase& one : CompositeCases()) {
    const Graph graph = GraphOf(one);
    BlackBox box(CallOf(*table.Find(Last(graph)), graph, Last(graph)));
    std::string reason;
    box.set_values(SmallCalls(box).By(ShrinkOrder::kFirst, reason).value());
    SymbolicRule found = DiscoverSmall(box, {});
    FindComposites({box, table, rules, 0}, found);
    for (const SymbolicFactor& factor : std::vector<SymbolicFactor>(found.factors))
      for (size_t e = 0; factor.composite && e < factor.inner.exchanges.size(); ++e) {
        SymbolicFactor faulty = factor;
        faulty.inner.exchanges.erase(faulty.inner.exchanges.begin() +
                                     static_cast<std::ptrdiff_t>(e));
        EXPECT_FALSE(CompositeCheck({box, table, rules, 1}, found).Holds(faulty))
            << one.name << " " << factor.name << ", exchange " << e;
        ++tried;
      }
  }
  EXPECT_GT(tried, 30);
}

}  // namespace
}  // namespace metadist::testing
