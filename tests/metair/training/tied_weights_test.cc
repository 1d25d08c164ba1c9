// SPDX-License-Identifier: Apache-2.0
// Copies of shared weights.
#include "metair/training/tied_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/verify.h"
#include "metair/ops/graph_builder.h"

namespace metadist {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

const OpTable& Ops() { return OpTable::BuiltIn(); }

// Numbers of f32[rows,columns], or those of f32[columns,rows] transposed.
Tensor Numbers(int64_t rows, int64_t columns, bool transposed = false, double seed = 1) {
  std::vector<double> values;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      values.push_back(
          std::sin(seed + static_cast<double>(transposed ? c * rows + r : r * columns + c)));
  return Tensor::Of<double>({rows, columns}, values).Cast(ElementType::kF32);
}

// A table of 20 rows, which is read by indices, and a product with `copy`, f32[8,20], twice.
Graph Model(const Tensor& copy, bool product_first = false) {
  GraphBuilder b("model");
  const ValueId ids = b.Input("ids", {ElementType::kI64, {6}});
  ValueId head = kNone;
  if (product_first) head = b.Parameter("head", copy);
  const ValueId table = b.Parameter("table", Numbers(20, 8));
  if (!product_first) head = b.Parameter("head", copy);
  const ValueId rows = b.Add("Gather", {table, ids});
  b.Output(b.Add("MatMul", {b.Add("Relu", {rows}), head}));
  return b.Done().value();
}

TEST(TiedWeights, ATransposedCopyIsItsWeight) {
  for (const bool product_first : {false, true}) {
    TiedWeights found;
    const Graph graph = WithTiedWeights(Model(Numbers(8, 20, true), product_first), Ops(), &found);
    EXPECT_EQ(found.transposed, (Pairs{{"head", "table"}}));
    EXPECT_EQ(found.equal, Pairs{});
    ASSERT_TRUE(Verify(graph).ok()) << Verify(graph).error().text();
    const Value& head = graph.value(graph.FindValue("head"));
    ASSERT_EQ(head.kind, ValueKind::kResult);
    EXPECT_EQ(graph.node(head.producer).op, "Transpose");
    EXPECT_EQ(graph.value(graph.node(head.producer).inputs[0]).name, "table");
    EXPECT_EQ(graph.OfKind(ValueKind::kParameter).size(), 1U);
  }
}

TEST(TiedWeights, OthersStayAsTheyAre) {
  Tensor almost = Numbers(8, 20, true).Clone();
  almost.mutable_data<float>()[7] += 1;
  const Tensor zeros = Tensor::Zeros({ElementType::kF32, {8, 20}});
  for (const Tensor& head : {almost, zeros, Numbers(8, 20, true, 2), Numbers(8, 20)}) {
    TiedWeights found;
    const Graph model = Model(head);
    const Graph graph = WithTiedWeights(model, Ops(), &found);
    EXPECT_EQ(found.transposed, Pairs{});
    EXPECT_EQ(found.equal, Pairs{});
    EXPECT_EQ(graph.nodes.size(), model.nodes.size());
  }
}

// Layers that start with equal weights are no shared ones; of two weights and two copies nobody
// can tell which belong together.
TEST(TiedWeights, EqualWeightsAreOnlyTold) {
  GraphBuilder b("model");
  const ValueId x = b.Input("x", {ElementType::kF32, {4, 8}});
  ValueId h = x;
  for (const char* layer : {"a", "b"}) {
    h = b.Add("MatMul", {h, b.Parameter(std::string(layer) + ".up", Numbers(8, 20))});
    h = b.Add("MatMul", {h, b.Parameter(std::string(layer) + ".down", Numbers(20, 8, true))});
  }
  b.Output(h);
  TiedWeights found;
  const Graph graph = WithTiedWeights(b.Done().value(), Ops(), &found);
  EXPECT_EQ(found.transposed, Pairs{});
  EXPECT_EQ(found.equal, (Pairs{{"b.up", "a.up"}, {"b.down", "a.down"}}));
  EXPECT_EQ(graph.OfKind(ValueKind::kParameter).size(), 4U);
}

// One weight, of which two layers hold copies.
TEST(TiedWeights, SeveralCopiesAreOneWeight) {
  GraphBuilder b("model");
  const ValueId x = b.Input("x", {ElementType::kF32, {4, 12}});
  ValueId h = x;
  for (const char* name : {"a", "b"})
    h = b.Add("MatMul", {h, b.Parameter(name, Numbers(12, 12, true))});
  b.Output(b.Add("MatMul", {h, b.Parameter("w", Numbers(12, 12))}));
  TiedWeights found;
  const Graph graph = WithTiedWeights(b.Done().value(), Ops(), &found);
  EXPECT_EQ(found.transposed, (Pairs{{"a", "w"}, {"b", "w"}}));
  ASSERT_TRUE(Verify(graph).ok()) << Verify(graph).error().text();
}

}  // namespace
}  // namespace metadist
