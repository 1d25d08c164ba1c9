// SPDX-License-Identifier: Apache-2.0
//
// Operators with many operands: a rule found from a few of them equals that found from all.
#include "planner/rules/book/operand_row.h"

#include <gtest/gtest.h>

#include "metair/ops/graph_builder.h"
#include "planner/rules/book/rule_book.h"
#include "planner/rules/instance/instantiate.h"
#include "tests/planner/rules/test_ops.h"

namespace metadist::testing {
namespace {

// One node whose operands have these shapes.
Graph GraphOf(const OpDef& op, const std::vector<Shape>& shapes, const Attributes& attributes) {
  OpCall call;
  call.op = &op;
  call.attributes = &attributes;
  for (const Shape& shape : shapes)
    call.inputs.push_back({true, {ElementType::kF32, shape}, nullptr});
  GraphBuilder b("g");
  b.AddCall(call, "n");
  return b.Done().value();
}

struct Found {
  std::string by_row;  // as plans use it
  std::string one_by_one;
  bool row_is_used = false;
};

Found Find(const OpDef& op, const std::vector<Shape>& shapes, const Attributes& attributes = {}) {
  OpTable table = OpTable::BuiltIn();
  if (table.Find(op.domain, op.name) == nullptr) table.Add(op);
  const OpDef& own = *table.Find(op.domain, op.name);
  const Graph graph = GraphOf(own, shapes, attributes);
  const OpCall call = CallOf(own, graph, graph.nodes[0]);
  Found found;
  RuleBook book(table);
  found.by_row = book.For(graph, graph.nodes[0]).text;
  found.one_by_one = Instantiate(Discover(call), call).text;
  // Then the record is that of the short call.
  for (const auto& [signature, record] : book.File().records)
    found.row_is_used = found.row_is_used || record.found.dims.size() == kShortRows[1];
  return found;
}

const OpDef& BuiltIn(const char* name) { return *OpTable::BuiltIn().Find("", name); }

void ExpectByRow(const char* name,
                 const std::vector<Shape>& shapes,
                 const Attributes& attributes = {}) {
  SCOPED_TRACE(name);
  const Found found = Find(BuiltIn(name), shapes, attributes);
  EXPECT_EQ(found.by_row, found.one_by_one);
  EXPECT_TRUE(found.row_is_used);
}

Attributes Axis(int64_t axis) {
  Attributes attributes;
  attributes.set("axis", axis);
  return attributes;
}

TEST(OperandRow, OfOneShape) {
  const std::vector<Shape> shapes(19, {8, 6});
  for (const char* name : {"Sum", "Max", "Min", "Mean"}) ExpectByRow(name, shapes);
  ExpectByRow("Concat", shapes, Axis(0));
  ExpectByRow("Concat", shapes, Axis(1));
}

TEST(OperandRow, OfSeveralSizes) {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < 18; ++i) shapes.push_back({4, 2 + 3 * (i % 5), 6});
  ExpectByRow("Concat", shapes, Axis(1));
  ExpectByRow("Concat", shapes, Axis(-2));
}

TEST(OperandRow, AnOperandOfAnotherFormIsSeen) {
  for (const size_t place : {0, 1, 2, 9, 16, 17}) {
    std::vector<Shape> shapes(18, {8, 6});
    shapes[place] = {1, 6};
    const Found found = Find(BuiltIn("Sum"), shapes);
    EXPECT_EQ(found.by_row, found.one_by_one) << place;
  }
}

// Adds its operands; of every operand after the eighth, only its first row, to all rows.
OpDef LateOp() {
  OpDef op;
  op.domain = "test";
  op.name = "Late";
  op.infer = [](const OpCall& call) -> Result<std::vector<TensorType>> {
    for (size_t i = 1; i < call.inputs.size(); ++i)
      if (call.shape(i) != call.shape(0)) return BadInput("", "shapes differ");
    return std::vector<TensorType>{call.type(0)};
  };
  op.reference =
      [](const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) -> Result<void> {
    double* y = out[0].mutable_data<double>();
    for (int64_t e = 0; e < out[0].size(); ++e) {
      y[e] = 0;
      for (size_t i = 0; i < in.size(); ++i)
        y[e] += in[i].data<double>()[i < 8 ? e : e % out[0].dim(1)];
    }
    return {};
  };
  return op;
}

TEST(OperandRow, OperandsThatPlayAnotherRoleLaterAreRefuted) {
  const OpDef op = LateOp();
  const Found found = Find(op, std::vector<Shape>(18, {8, 6}));
  EXPECT_EQ(found.by_row, found.one_by_one);
  // The first operands alone would allow cutting the rows.
  const Found few = Find(op, std::vector<Shape>(7, {8, 6}));
  EXPECT_NE(few.by_row.substr(few.by_row.find("->")).find("[a,b]"), std::string::npos);
  EXPECT_EQ(found.by_row.find("[a,b]"), std::string::npos);
}

TEST(OperandRow, CostsAFewRunsWhateverItsLength) {
  for (const int length : {50, 400}) {
    const Graph graph = GraphOf(BuiltIn("Concat"), std::vector<Shape>(length, {4, 6}), Axis(1));
    RuleBook book(OpTable::BuiltIn());
    const std::vector<SignatureReport> report = book.Report(graph);
    ASSERT_EQ(report.size(), 1U);
    EXPECT_EQ(report[0].factors.size(), 2U);
    EXPECT_LT(report[0].kernel_runs, 3000);
  }
}

}  // namespace
}  // namespace metadist::testing
