// SPDX-License-Identifier: Apache-2.0
// A rule book does not depend on names of operators: neither the operator's own name nor those in
// its decomposition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "metair/ops/graph_builder.h"
#include "planner/rules/book/rule_book.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist::testing {
namespace {

using Key = std::pair<std::string, std::string>;  // domain and name

constexpr char kDomain[] = "opaque";

// An id for every operator, in another order than the names.
std::map<Key, std::string> MakeIds() {
  std::map<Key, std::string> ids;
  size_t next = 0;
  for (const OpDef* op : OpTable::BuiltIn().all())
    ids[{op->domain, op->name}] = fmt::format("op{:03}", next++ * 379 % 997);
  return ids;
}

const std::map<Key, std::string>& Ids() {
  static const std::map<Key, std::string> ids = MakeIds();
  return ids;
}

const OpDef& PlainOf(const OpDef& opaque) { return *static_cast<const OpDef*>(opaque.context); }

// The decomposition of the operator with its own name, with all names replaced by ids.
Result<Graph> DecomposeOpaquely(const OpCall& call) {
  OpCall plain = call;
  plain.op = &PlainOf(*call.op);
  Graph graph = TRY(plain.op->decompose(plain));
  graph.name = "g";
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Node& node = graph.nodes[n];
    const auto id = Ids().find({node.domain, node.op});
    if (id == Ids().end()) return Internal(fmt::format("{} is in no table", node.op));
    node.domain = kDomain;
    node.op = id->second;
    node.name = fmt::format("n{}", n);
  }
  return graph;
}

// All operators with their ids. Those with their own names are kept: recipes contain some of them,
// but no opaque call or decomposition has such a node.
OpTable OpaqueTable() {
  OpTable table = OpTable::BuiltIn();
  for (const OpDef* op : OpTable::BuiltIn().all()) {
    OpDef opaque = *op;
    opaque.domain = kDomain;
    opaque.name = Ids().at({op->domain, op->name});
    opaque.context = op;
    if (op->decompose != nullptr) opaque.decompose = DecomposeOpaquely;
    table.Add(opaque);
  }
  return table;
}

// A graph of the call alone; nullopt if inference rejects it.
std::optional<Graph> GraphOf(const OpCall& call) {
  GraphBuilder b("call");
  b.AddCall(call, "node");
  auto graph = b.Done();
  if (!graph.ok()) return std::nullopt;
  return std::move(graph).value();
}

// Operators that are nodes of some example's decomposition.
std::set<std::string> OperatorsIn(const OpCall& call) {
  std::set<std::string> names;
  if (call.op->decompose == nullptr) return names;
  const auto graph = call.op->decompose(call);
  if (graph.ok())
    for (const Node& node : graph.value().nodes) names.insert(node.domain + "." + node.op);
  return names;
}

TEST(RuleBook, OpaqueNamesGiveTheSameRules) {
  const OpTable opaque_table = OpaqueTable();
  RuleBook plain_book(OpTable::BuiltIn());
  RuleBook opaque_book(opaque_table);
  int composites = 0, recipes = 0, late = 0;
  for (const OpDef* op : OpTable::BuiltIn().all()) {
    const OpDef& opaque = *opaque_table.Find(kDomain, Ids().at({op->domain, op->name}));
    if (op->examples == nullptr) continue;
    int index = 0;
    for (const OpExample& example : op->examples()) {
      const std::string where = fmt::format("{}.{}", op->name, index++);
      const ExampleCall plain_call(*op, example);
      const ExampleCall opaque_call(opaque, example);
      for (const std::string& name : OperatorsIn(opaque_call.call))
        ASSERT_EQ(0u, name.find(kDomain)) << where << " " << name;
      const auto plain_graph = GraphOf(plain_call.call);
      const auto opaque_graph = GraphOf(opaque_call.call);
      ASSERT_TRUE(plain_graph && opaque_graph) << where;
      const Rule& expected = plain_book.For(*plain_graph, plain_graph->nodes[0]);
      const Rule& actual = opaque_book.For(*opaque_graph, opaque_graph->nodes[0]);
      EXPECT_EQ(expected.text, actual.text) << where;
      EXPECT_EQ(expected.reason, actual.reason) << where;
      const SymbolicRule* known = plain_book.Found(*plain_graph, plain_graph->nodes[0]);
      const SymbolicRule* found = opaque_book.Found(*opaque_graph, opaque_graph->nodes[0]);
      ASSERT_EQ(known == nullptr, found == nullptr) << where;
      if (known == nullptr) continue;
      EXPECT_EQ(known->factors, found->factors) << where;
      EXPECT_EQ(known->executions, found->executions) << where;
      EXPECT_EQ(known->kernel_runs, found->kernel_runs) << where;
      for (const SymbolicFactor& factor : known->factors) {
        composites += factor.composite;
        recipes += !factor.inner.recipe.empty();
        for (const InnerUse& other : factor.others) late += !other.recipe.empty();
      }
    }
  }
  EXPECT_GT(composites, 100);  // otherwise the test proves nothing
  EXPECT_GT(recipes, 10);
  EXPECT_GT(late, 10);
}

}  // namespace
}  // namespace metadist::testing
