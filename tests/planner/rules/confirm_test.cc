// SPDX-License-Identifier: Apache-2.0
// A rule that small calls show is not used where the real call does otherwise.
#include "planner/rules/confirm.h"

#include <gtest/gtest.h>

#include <string>

#include "metair/ir/text.h"
#include "planner/rules/rule_book.h"
#include "tests/planner/rules/test_ops.h"

namespace metadist::testing {
namespace {

// Rows as they are, but in reverse order where there are more than so many.
template <int64_t kMost>
double Turned(In in, int64_t i, int64_t j) {
  return At(in[0], in[0].dim(0) <= kMost ? i : in[0].dim(0) - 1 - i, j);
}

template <int64_t kMost>
OpTable TableWith(const char* name) {
  OpTable table = OpTable::BuiltIn();
  table.Add(ElementOp<double, SameAs, Turned<kMost>>(name));
  return table;
}

Rule RuleOf(const OpTable& table, const std::string& name, int64_t rows) {
  const std::string type = "f64[" + std::to_string(rows) + ",6]";
  const Graph graph = ParseGraph("graph g opset 26 {\n  input %x: " + type + "\n  %y: " + type +
                                 " = test." + name + "(%x) @n\n  output %y\n}\n")
                          .value();
  RuleBook book(table);
  return book.For(graph, graph.nodes[0]);
}

TEST(Confirm, FactorsThatTheRealCallRefutesAreNotUsed) {
  const OpTable table = TableWith<200>("Turn");
  EXPECT_EQ(RuleOf(table, "Turn", 150).text, "([a,b])->([a,b]) linear={0} max={0} min={0}");
  const Rule refuted = RuleOf(table, "Turn", 250);
  EXPECT_EQ(refuted.text, "([_,a])->([_,a]) linear={0} max={0} min={0}");
  ASSERT_EQ(refuted.uncut.size(), 2u);
  EXPECT_EQ(refuted.uncut[0],
            (UncutDim{true, 0, 0, "pieces of this very call differ from the whole"}));
}

// The largest cheap call stands for one that is too large.
TEST(Confirm, LargeCallsAreTriedAtTheLargestCheapSizes) {
  const OpTable table = TableWith<200>("Turn");
  EXPECT_EQ(RuleOf(table, "Turn", 1 << 20).text, "([_,a])->([_,a]) linear={0} max={0} min={0}");
}

TEST(Confirm, DimsThatNothingCutsAreNamed) {
  const OpTable table = TableWith<1>("Turn");
  const Rule none = RuleOf(table, "Turn", 8);
  ASSERT_FALSE(none.uncut.empty());
  EXPECT_EQ(none.uncut[0].dim, 0);
}

}  // namespace
}  // namespace metadist::testing
