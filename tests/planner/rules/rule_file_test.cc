// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/book/rule_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "metair/ir/text.h"
#include "metair/ops/graph_builder.h"
#include "planner/rules/book/rule_book.h"
#include "planner/rules/book/rule_json.h"
#include "planner/rules/book/rule_version.h"
#include "planner/rules/instance/instantiate.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist::testing {
namespace {

// A graph with a node for each example of the operators.
Graph GraphOf(const std::vector<const OpDef*>& ops) {
  GraphBuilder b("examples");
  for (const OpDef* op : ops)
    for (const auto& example : CallsOf(*op))
      if (InferTypes(example->call).ok()) b.AddCall(example->call, op->name);
  return b.Done().value();
}

// Operators whose rules together use every feature of a rule.
Graph Some() {
  std::vector<const OpDef*> ops;
  for (const char* name : {"MatMul",
                           "Softmax",
                           "Reshape",
                           "AveragePool",
                           "Trilu",
                           "Gather",
                           "Conv",
                           "ScatterND",
                           "Split",
                           "Unique",
                           "Concat",
                           "Range",
                           "OneHot",
                           "Slice",
                           "Size",
                           "LayerNormalization"})
    ops.push_back(OpTable::BuiltIn().Find("", name));
  return GraphOf(ops);
}

std::string FileText(const Graph& graph, int threads) {
  RuleBook book(OpTable::BuiltIn(), {}, threads);
  book.Discover(graph);
  return WriteRules(book.File());
}

TEST(RuleJson, RoundTripOfAllExamples) {
  size_t factors = 0;
  for (const OpDef* op : OpTable::BuiltIn().all())
    for (const auto& example : CallsOf(*op)) {
      const SymbolicRule found = Discover(example->call);
      const nlohmann::json json = ToJson(found);
      const auto read = SymbolicRuleFrom(json, "f");
      ASSERT_TRUE(read.ok()) << op->name << ": " << read.error().text();
      EXPECT_EQ(json.dump(), ToJson(read.value()).dump()) << op->name;
      EXPECT_EQ(found.factors, read.value().factors) << op->name;
      EXPECT_EQ(found.dims, read.value().dims) << op->name;
      EXPECT_EQ(found.literals, read.value().literals) << op->name;
      factors += found.factors.size();
    }
  EXPECT_GT(factors, 900u);
}

// Rules survive a round trip, however many operands, results and dims a call has.
TEST(RuleJson, RoundTripOfLongCalls) {
  std::string pieces, inputs, names, ones;
  for (int i = 0; i < 300; ++i) {
    pieces += fmt::format("{}%p{}: f32[2,3]", i == 0 ? "" : ", ", i);
    inputs += fmt::format("  input %o{}: f32[2,3]\n", i);
    names += fmt::format("{}%o{}", i == 0 ? "" : ", ", i);
  }
  for (int i = 0; i < 20; ++i) ones += i == 0 ? "2" : ",2";
  const auto graph =
      ParseGraph("graph g opset 26 {\n  input %x: f32[600,3]\n" + inputs + "  input %m: f32[" +
                 ones + "]\n  " + pieces +
                 " = Split(%x) {num_outputs = 300} @split\n  %c: f32[600,3] = Concat(" + names +
                 ") {axis = 0} @concat\n  %f: f32[1048576] = Flatten(%m) {axis = 20} @flatten\n  "
                 "output %c\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  RuleBook book(OpTable::BuiltIn());
  book.Discover(graph.value());
  const std::string text = WriteRules(book.File());
  const auto read = ReadRules(text, "r.json");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(text, WriteRules(read.value()));
}

// Windows around the ends of a dim, of which there is no example.
TEST(RuleJson, CoursesOfWindows) {
  const auto pool = CallsOf(*OpTable::BuiltIn().Find("", "AveragePool"));
  SymbolicRule found = Discover(pool[1]->call);
  for (const Halo::Course course : {Halo::Course::kMirrored, Halo::Course::kAround}) {
    int windows = 0;
    for (SymbolicFactor& factor : found.factors)
      for (SymbolicCut& cut : factor.inputs)
        if (cut.window) {
          cut.window->course = course;
          ++windows;
        }
    ASSERT_GT(windows, 0);
    const nlohmann::json json = ToJson(found);
    const auto read = SymbolicRuleFrom(json, "f");
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_EQ(found.factors, read.value().factors);
  }
}

TEST(RuleFile, SameBytesAfterARoundTripAndOnMoreThreads) {
  const Graph graph = Some();
  const std::string text = FileText(graph, 1);
  EXPECT_EQ(text, FileText(graph, 3));
  auto file = ReadRules(text, "f");
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(text, WriteRules(file.value()));
  RuleBook book(OpTable::BuiltIn());
  book.Learn(std::move(file).value());
  EXPECT_EQ(text, WriteRules(book.File()));
  book.Discover(graph);
  EXPECT_EQ(text, WriteRules(book.File()));
  EXPECT_EQ(0, book.stale());
  EXPECT_EQ(0, book.misfits());
}

TEST(RuleFile, LearnedRulesAreThoseThatAreDiscovered) {
  const Graph graph = Some();
  RuleBook found(OpTable::BuiltIn()), learned(OpTable::BuiltIn());
  found.Discover(graph);
  learned.Learn(std::move(ReadRules(WriteRules(found.File()), "f")).value());
  for (const Node& node : graph.nodes) {
    const Rule& a = found.For(graph, node);
    const Rule& b = learned.For(graph, node);
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.reason, b.reason);
    ASSERT_EQ(a.factors.size(), b.factors.size()) << node.op;
    for (size_t f = 0; f < a.factors.size(); ++f) {
      EXPECT_EQ(a.factors[f].name, b.factors[f].name);
      EXPECT_EQ(a.factors[f].inputs, b.factors[f].inputs);
      EXPECT_EQ(a.factors[f].outputs, b.factors[f].outputs);
      EXPECT_EQ(a.factors[f].literals.size(), b.factors[f].literals.size());
      EXPECT_EQ(a.factors[f].inner, b.factors[f].inner);
    }
  }
  // Nothing was run, so the time is the file's, which is 0.
  for (const SignatureReport& report : learned.Report(graph)) EXPECT_EQ(0.0, report.seconds);
}

TEST(RuleFile, RulesOfOtherKernelsAreFoundAnew) {
  const Graph graph = GraphOf({OpTable::BuiltIn().Find("", "Softmax")});
  RuleBook found(OpTable::BuiltIn());
  found.Discover(graph);
  RuleFile file = found.File();
  const int64_t count = static_cast<int64_t>(file.records.size());
  ASSERT_GT(count, 2);
  // A wrong rule with another version.
  for (auto& [signature, record] : file.records) record.found.factors.clear();
  file.version = "0000000000000000";
  RuleBook book(OpTable::BuiltIn());
  book.Learn(file);
  EXPECT_EQ(count, book.stale());
  EXPECT_EQ(3u, book.For(graph, graph.nodes[0]).factors.size());

  file.version = kRuleVersion;
  for (auto& [signature, record] : file.records) record.kernel = "another";
  RuleBook other(OpTable::BuiltIn());
  other.Learn(file);
  EXPECT_EQ(count, other.stale());
  for (auto& [signature, record] : file.records) {
    record.kernel.clear();
    record.opset += 1;
  }
  RuleBook newer(OpTable::BuiltIn());
  newer.Learn(file);
  EXPECT_EQ(count, newer.stale());
}

// A record with the signature of another call is not used for that call.
TEST(RuleFile, RulesOfOtherCallsAreFoundAnew) {
  const Graph products = GraphOf({OpTable::BuiltIn().Find("", "MatMul")});
  const Graph sums = GraphOf({OpTable::BuiltIn().Find("", "ReduceSum")});
  RuleBook a(OpTable::BuiltIn()), b(OpTable::BuiltIn());
  a.Discover(products);
  b.Discover(sums);
  RuleFile mixed = a.File();
  const RuleFile other = b.File();
  for (auto& [signature, record] : mixed.records)
    record.found = other.records.begin()->second.found;
  RuleBook book(OpTable::BuiltIn());
  book.Learn(mixed);
  for (const Node& node : products.nodes)
    EXPECT_EQ(a.For(products, node).text, book.For(products, node).text);
  EXPECT_GT(book.misfits(), 0);
}

std::string Problem(const std::string& text) {
  const auto file = ReadRules(text, "f");
  return file.ok() ? "" : file.error().text();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(std::string::npos, at) << from;
  return text.replace(at, from.size(), to);
}

TEST(RuleFile, RefusesWhatWasNotWrittenSo) {
  const std::string text = FileText(GraphOf({OpTable::BuiltIn().Find("", "MatMul")}), 1);
  EXPECT_EQ("", Problem(text));
  EXPECT_NE(std::string::npos, Problem(text.substr(0, text.size() / 2)).find("expected rules in"));
  const std::string edited = "check: the record was changed after it was written";
  EXPECT_NE(std::string::npos,
            Problem(Replaced(text, "\"split\":\"any\"", "\"split\":\"even\"")).find(edited));
  EXPECT_NE(std::string::npos,
            Problem(Replaced(text, "\"kernels\": \"", "\"kernels\": \"0")).find(edited));
  EXPECT_EQ(
      "f: schema_version: must be 1, got 2\n"
      "  hint: `metadist rules MODEL -o FILE` writes them",
      Problem(Replaced(text, "\"schema_version\": 1", "\"schema_version\": 2")));
  EXPECT_EQ("f: field 'more' is unknown",
            Problem(Replaced(text, "\"seed\"", "\"more\": 1,\n\"seed\"")));
}

TEST(RuleFile, RefusesWhatLiesTooDeep) {
  const std::string deep(1 << 20, '[');
  const auto read = ReadRules("{\"schema\": " + deep + std::string(deep.size(), ']') + "}", "f");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message,
            "expected rules in JSON, got values more than 64 levels deep in others");
}

// Every number and index of a record is checked.
TEST(RuleJson, RefusesWhatIsOutOfRange) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Trilu");
  const nlohmann::json good = ToJson(Discover(CallsOf(*op)[1]->call));
  ASSERT_EQ(2u, good["factors"][1]["shifts"].size() + good["factors"][2]["shifts"].size());
  const auto problem = [&](const char* place, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(place)] = value;
    const auto read = SymbolicRuleFrom(bad, "f");
    return read.ok() ? "" : read.error().text();
  };
  EXPECT_EQ("", problem("/rule", "x"));
  EXPECT_EQ("f: atoms[0]: must be an integer from 1 to 1048576, got 0", problem("/atoms/0", 0));
  EXPECT_EQ("f: factors[0].atoms[0]: must be an integer from 0 to 2, got 3",
            problem("/factors/0/atoms/0", 3));
  EXPECT_EQ("f: factors[0]: must have parts of the factor's own atoms",
            problem("/factors/0/atoms", nlohmann::json::array()));
  EXPECT_EQ("f: factors[0]: must have a letter for each atom in the name, joined by '+'",
            problem("/factors/0/name", "a+b"));
  EXPECT_EQ("f: factors: two have the name 'b'",
            problem("/factors/0/name", good["factors"][1]["name"]));
  EXPECT_EQ("f: factors[0].inputs[0]: input 0 has no dim 3", problem("/factors/0/inputs/0/dim", 3));
  EXPECT_EQ("f: factors[0].inputs[0].tensor: must be an integer from 0 to 1, got 2",
            problem("/factors/0/inputs/0/tensor", 2));
  EXPECT_EQ("f: factors[0].inputs[0].parts: must be parts, got none",
            problem("/factors/0/inputs/0/parts", nlohmann::json::array()));
  EXPECT_EQ("f: factors[1].shifts[0].literal: must be an integer from 0 to 1, got -1",
            problem("/factors/1/shifts/0/literal", -1));
  // An integer follows pieces that have one start, of a dim that the factor cuts.
  const std::string view = "f: factors[1]: must have views of dims that the factor cuts in one run";
  const nlohmann::json part = good["factors"][1]["shifts"][0]["view"]["parts"][0];
  const nlohmann::json other = good["factors"][0]["inputs"][0]["parts"][0];
  ASSERT_NE(part, other);
  EXPECT_EQ(view, problem("/factors/1/shifts/0/view/parts", {part, part}));
  EXPECT_EQ(view, problem("/factors/1/shifts/0/view/parts", nlohmann::json::array({other})));
  EXPECT_EQ(view, problem("/factors/1/shifts/0/view/parts", {{part[0], {2}}, part}));
  EXPECT_EQ(view, problem("/factors/1/shifts/0/view/repeat", {2}));
  EXPECT_EQ("f: factors[0].split: must be one of any, even, got \"odd\"",
            problem("/factors/0/split", "odd"));
  EXPECT_EQ("f: dims[0][0][0][0]: must be an integer from 1 to 1099511627776, got -1",
            problem("/dims/0/0/0/0", -1));
  EXPECT_EQ("f: factors[0]: field 'kind' is unknown", problem("/factors/0/kind", 1));
  EXPECT_EQ("f: reason: must be there where there are no factors, and only there",
            problem("/factors", nlohmann::json::array()));
  EXPECT_EQ("f: pass_through[0].op: must be one of sum, prod, max, min, and, or, got \"xor\"",
            problem("/pass_through/0/op", "xor"));
}

}  // namespace
}  // namespace metadist::testing
