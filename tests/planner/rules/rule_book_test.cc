// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/book/rule_book.h"

#include <gtest/gtest.h>

#include "planner/rules/instance/instantiate.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist::testing {
namespace {

// A graph of unconnected nodes.
struct Nodes {
  Graph graph;

  ValueId Make(ValueKind kind, TensorType type) {
    Value value;
    value.name = "v" + std::to_string(graph.values.size());
    value.type = std::move(type);
    value.kind = kind;
    return graph.AddValue(std::move(value));
  }
  ValueId Input(Shape shape) {
    return Make(ValueKind::kInput, {ElementType::kF32, std::move(shape)});
  }
  ValueId Constant(const std::vector<int64_t>& values) {
    const Tensor data = Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values);
    const ValueId id = Make(ValueKind::kConstant, data.type());
    graph.value(id).data = data;
    return id;
  }
  void Add(const std::string& op, std::vector<ValueId> inputs, Shape output) {
    Node node;
    node.name = "n" + std::to_string(graph.nodes.size());
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {Make(ValueKind::kResult, {ElementType::kF32, std::move(output)})};
    graph.AddNode(std::move(node));
  }
};

Nodes Sample() {
  Nodes n;
  n.Add("MatMul", {n.Input({4, 6}), n.Input({6, 8})}, {4, 8});
  n.Add("MatMul", {n.Input({2048, 12288}), n.Input({12288, 51200})}, {2048, 51200});
  n.Add("Reshape", {n.Input({8, 1024, 768}), n.Constant({8, 1024, 12, 64})}, {8, 1024, 12, 64});
  n.Add("Reshape", {n.Input({2, 16, 64}), n.Constant({2, 16, 4, 16})}, {2, 16, 4, 16});
  n.Add("Add", {n.Input({4, 6}), n.Input({1, 6})}, {4, 6});
  n.Add("Add", {n.Input({4, 6}), n.Input({4, 6})}, {4, 6});
  n.Add("NoSuchOperator", {n.Input({4, 6})}, {4, 6});
  n.Add("MatMul", {n.Input({1, 6}), n.Input({6, 8})}, {1, 8});
  return n;
}

TEST(RuleBook, SignaturesLeaveOutSizesThatDoNotMatter) {
  const Nodes n = Sample();
  RuleBook book(OpTable::BuiltIn());
  const std::vector<SignatureReport> report = book.Report(n.graph);
  ASSERT_EQ(6u, report.size());
  EXPECT_EQ("MatMul", report[0].op);
  EXPECT_EQ(2u, report[0].nodes.size());
  EXPECT_EQ("([a,b],[b,c])->([a,c]) reduction={b} linear={0,1}", report[0].rule);
  EXPECT_EQ((std::vector<std::string>{"a", "b", "c"}), report[0].factors);
  EXPECT_EQ(2u, report[1].nodes.size());
  EXPECT_EQ((std::vector<int64_t>{8, 1024, 12, 64}), report[1].inputs[1].values);
  EXPECT_EQ("([a,b],[_,b])->([a,b]) linear={0+1} max={0,1} min={0,1}", report[2].rule);
  EXPECT_EQ("([a,b],[a,b])->([a,b]) linear={0+1} max={0,1} min={0,1}", report[3].rule);
  EXPECT_EQ("none", report[4].rule);
  EXPECT_EQ("the operator is unknown: --op-library can give its kernel", report[4].reason);
  EXPECT_EQ("([_,a],[a,b])->([_,b]) reduction={a} linear={0,1}", report[5].rule);
}

TEST(RuleBook, CallsOfTwelveDims) {
  Nodes n;
  const Shape shape(12, 2);
  n.Add("Add", {n.Input(shape), n.Input(shape)}, shape);
  const std::string dims = "[a,b,c,d,e,f,g,h,i,j,k,l]";
  EXPECT_EQ("(" + dims + "," + dims + ")->(" + dims + ") linear={0+1} max={0,1} min={0,1}",
            RuleBook(OpTable::BuiltIn()).Report(n.graph)[0].rule);
}

// Groups of channels of small images: every two of the sizes have a common divisor.
TEST(RuleBook, ReshapesOfPowersOfTwoHaveTheirRefinement) {
  for (const Shape& to : {Shape{3, 1280, 16, 16}, {3, 2560, 8, 8}, {3, 320, 64, 64}}) {
    Nodes n;
    const int64_t inside = to[1] / 32 * to[2] * to[3];
    n.Add("Reshape", {n.Input({3, 32, inside}), n.Constant({to[0], to[1], to[2], to[3]})}, to);
    const std::vector<SignatureReport> report = RuleBook(OpTable::BuiltIn()).Report(n.graph);
    EXPECT_EQ("([a,b,(c d e)])->([a,(b c),d,e]) attr={a,b,c,d,e} linear={0} max={0} min={0}",
              report[0].rule)
        << ShapeText(to);
  }
}

TEST(RuleBook, RulesAreAtTheNodesOwnSizes) {
  const Nodes n = Sample();
  RuleBook book(OpTable::BuiltIn());
  const Rule& rule = book.For(n.graph, n.graph.nodes[2]);
  ASSERT_EQ(4u, rule.factors.size());
  const Factor& heads = rule.factors[2];
  EXPECT_EQ((Cut{0, 2, 1, {{12, 64}}}), heads.inputs.at(0));
  EXPECT_EQ((Cut{0, 2, 1, {{12, 1}}}), heads.outputs.at(0));
  ASSERT_EQ(1u, heads.literals.size());
  EXPECT_EQ(1, heads.literals[0].input);
  EXPECT_EQ(2, heads.literals[0].entry);
  EXPECT_EQ((Cut{0, 0, 1, {{12, 1}}}), heads.literals[0].view);
  EXPECT_EQ((Cut{0, 2, 12, {{64, 1}}}), rule.factors[3].inputs.at(0));
  EXPECT_EQ(12, heads.groups());
}

TEST(RuleBook, DoesNotDependOnThreadsOrOrder) {
  const Nodes n = Sample();
  RuleBook one(OpTable::BuiltIn());
  RuleBook many(OpTable::BuiltIn(), {}, 3);
  RuleBook backwards(OpTable::BuiltIn());
  many.Discover(n.graph);
  for (size_t i = n.graph.nodes.size(); i-- > 0;) backwards.For(n.graph, n.graph.nodes[i]);
  for (const Node& node : n.graph.nodes) {
    const Rule& a = one.For(n.graph, node);
    for (RuleBook* book : {&many, &backwards}) {
      const Rule& b = book->For(n.graph, node);
      EXPECT_EQ(a.text, b.text);
      EXPECT_EQ(a.reason, b.reason);
      ASSERT_EQ(a.factors.size(), b.factors.size());
      for (size_t f = 0; f < a.factors.size(); ++f) {
        EXPECT_EQ(a.factors[f].inputs, b.factors[f].inputs);
        EXPECT_EQ(a.factors[f].outputs, b.factors[f].outputs);
        EXPECT_EQ(a.factors[f].reductions, b.factors[f].reductions);
      }
    }
  }
}

TEST(RuleBook, NodesWithRegionsHaveNoRule) {
  Nodes n;
  n.Add("MatMul", {n.Input({4, 6}), n.Input({6, 8})}, {4, 8});
  n.graph.nodes[0].regions.push_back({"body", std::make_shared<Graph>(), {}});
  RuleBook book(OpTable::BuiltIn());
  const Rule& rule = book.For(n.graph, n.graph.nodes[0]);
  EXPECT_TRUE(rule.factors.empty());
  EXPECT_EQ("the operator runs a body of its own", rule.reason);
}

// A rule is never applied to a call of another form.
TEST(Instantiate, RefusesOtherCalls) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Reshape");
  const auto example = [&](const Shape& from, const std::vector<int64_t>& to) {
    const TensorType list{ElementType::kI64, {static_cast<int64_t>(to.size())}};
    return OpExample{.inputs = {{{ElementType::kF32, from}}, {.type = list, .constant = to}}};
  };
  const ExampleCall split(*op, example({8, 12}, {8, 3, 4}));
  const ExampleCall mixed(*op, example({12, 8}, {8, 3, 4}));
  const SymbolicRule found = Discover(split.call);
  EXPECT_EQ(3u, Instantiate(found, split.call).factors.size());
  const Rule rule = Instantiate(found, mixed.call);
  EXPECT_TRUE(rule.factors.empty());
  EXPECT_EQ("its sizes do not match a larger form of the small call that was run", rule.reason);
}

// Not even if all its cuts would fit.
TEST(Instantiate, RefusesOtherIntegers) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Transpose");
  const auto example = [&](std::vector<int64_t> order) {
    Attributes attributes;
    attributes.set("perm", std::move(order));
    return OpExample{.inputs = {{{ElementType::kF32, {8, 8}}}}, .attributes = attributes};
  };
  const ExampleCall turned(*op, example({1, 0}));
  const ExampleCall kept(*op, example({0, 1}));
  const SymbolicRule found = Discover(turned.call);
  EXPECT_EQ(2u, Instantiate(found, turned.call).factors.size());
  EXPECT_TRUE(Instantiate(found, kept.call).factors.empty());
}

// Half of a dim, from its start or to its end: both halves are cut together. For a part whose size
// is not a divisor of the dim, ranks take what makes their pieces.
TEST(Discover, PartsOfADim) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Slice");
  const auto rule = [&](int64_t start, int64_t end) {
    const TensorType one{ElementType::kI64, {1}};
    const OpExample example{.inputs = {{{ElementType::kF32, {8, 32, 4096, 128}}},
                                       {.type = one, .constant = {start}},
                                       {.type = one, .constant = {end}},
                                       {.type = one, .constant = {3}}}};
    const ExampleCall call(*op, example);
    const SymbolicRule found = Discover(call.call);
    return found.text.substr(0, found.text.find(" linear")) + " " +
           std::to_string(Instantiate(found, call.call).factors.size());
  };
  EXPECT_EQ("([a,b,c,(2 d)])->([a,b,c,d]) attr={d} 4", rule(0, 64));
  EXPECT_EQ("([a,b,c,(2 d)])->([a,b,c,d]) attr={d} 4", rule(64, INT64_MAX));
  EXPECT_EQ("([a,b,c,d])->([a,b,c,d]) within={d:2,d:1} halo={d:-1/1} 4", rule(1, 12));
}

}  // namespace
}  // namespace metadist::testing
