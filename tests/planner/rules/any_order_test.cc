// SPDX-License-Identifier: Apache-2.0
// Which factors allow their groups in any order.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "planner/rules/instance/instantiate.h"
#include "planner/rules/search/discover.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist::testing {
namespace {

// Names of the factors of the operator's example with groups in any order, and of the others.
std::pair<std::string, std::string> OrdersOf(const OpDef& op, const OpExample& example) {
  const ExampleCall call(op, example);
  const SymbolicRule found = Discover(call.call);
  std::pair<std::string, std::string> names;
  for (const Factor& factor : Instantiate(found, call.call).factors)
    (factor.any_order ? names.first : names.second) += factor.name + " ";
  return names;
}

std::pair<std::string, std::string> OrdersOf(const char* name, size_t example = 0) {
  const OpDef& op = *OpTable::BuiltIn().Find("", name);
  return OrdersOf(op, op.examples()[example]);
}

using Names = std::pair<std::string, std::string>;

TEST(AnyOrder, OfElementsProductsReductionsAndShapes) {
  EXPECT_EQ(OrdersOf("Add", 1), (Names{"a b ", ""}));
  EXPECT_EQ(OrdersOf("MatMul"), (Names{"a b c ", ""}));
  EXPECT_EQ(OrdersOf("ReduceMax"), (Names{"a b ", ""}));
  EXPECT_EQ(OrdersOf("Reshape", 1), (Names{"a b c ", ""}));
  EXPECT_EQ(OrdersOf("Transpose"), (Names{"a b ", ""}));
  EXPECT_EQ(OrdersOf("BatchNormalization"), (Names{"a b c d ", ""}));
}

// Windows read beyond the piece, diagonals and tables count from its start, and several consecutive
// dims are cut together.
TEST(AnyOrder, NotOfPiecesWithAPlace) {
  EXPECT_EQ(OrdersOf("AveragePool", 1), (Names{"a ", "b c "}));
  EXPECT_EQ(OrdersOf("Trilu", 1), (Names{"a ", "b c "}));
  EXPECT_EQ(OrdersOf("Gather"), (Names{"b c d ", "a "}));
  EXPECT_EQ(OrdersOf("Split", 1), (Names{"a ", "b+c+d "}));
  EXPECT_EQ(OrdersOf("Bernoulli", 1), (Names{"", "a b "}));
}

}  // namespace
}  // namespace metadist::testing
