// SPDX-License-Identifier: Apache-2.0
// A rule found on small calls is not used if the real call behaves differently.
#include "planner/rules/book/confirm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "metair/ir/text.h"
#include "planner/rules/book/rule_book.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/search/discover_small.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/test_ops.h"

namespace metadist::testing {
namespace {

// Rows unchanged, but in reverse order if there are more than 200.
double Turned(In in, int64_t i, int64_t j) {
  return At(in[0], in[0].dim(0) <= 200 ? i : in[0].dim(0) - 1 - i, j);
}

OpTable TableWithTurn() {
  OpTable table = OpTable::BuiltIn();
  table.Add(ElementOp<double, SameAs, Turned>("Turn"));
  return table;
}

// The rule of a call with one input x.
Rule RuleOf(const OpTable& table,
            const std::string& op,
            const std::string& x,
            const std::string& y) {
  const Graph graph = ParseGraph("graph g opset 26 {\n  input %x: " + x + "\n  %y: " + y + " = " +
                                 op + "(%x) @n\n  output %y\n}\n")
                          .value();
  RuleBook book(table);
  return book.For(graph, graph.nodes[0]);
}

Rule RuleOfRows(const OpTable& table, int64_t rows, int64_t columns = 6) {
  const std::string type = "f64[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
  return RuleOf(table, "test.Turn", type, type);
}

TEST(Confirm, FactorsThatTheRealCallRefutesAreNotUsed) {
  const OpTable table = TableWithTurn();
  EXPECT_EQ(RuleOfRows(table, 150).text, "([a,b])->([a,b]) linear={0} max={0} min={0}");
  const Rule refuted = RuleOfRows(table, 250);
  EXPECT_EQ(refuted.text, "([_,b])->([_,b]) linear={0} max={0} min={0}");
  ASSERT_EQ(refuted.uncut.size(), 2u);
  EXPECT_EQ(refuted.uncut[0],
            (UncutDim{true, 0, 0, "the pieces of this call differ from the whole", true}));
}

// Unchanged, but without signs if there are more than 50 rows.
double UnsignedIfMany(In in, int64_t i, int64_t j) {
  const double x = At(in[0], i, j);
  return in[0].dim(0) <= 50 ? x : std::fabs(x);
}

// A call of 60 rows is small enough to be tried as it is. Its pieces keep their signs.
TEST(Confirm, PartialValuesThatTheRealCallChangesDoNotPass) {
  OpTable table = OpTable::BuiltIn();
  table.Add(ElementOp<double, SameAs, UnsignedIfMany>("Unsigned"));
  EXPECT_EQ(RuleOf(table, "test.Unsigned", "f64[40,4]", "f64[40,4]").text,
            "([a,b])->([a,b]) linear={0} max={0} min={0}");
  EXPECT_EQ(RuleOf(table, "test.Unsigned", "f64[60,4]", "f64[60,4]").text, "([_,b])->([_,b])");
}

// The largest cheap call replaces one that is too large.
TEST(Confirm, LargeCallsAreTriedAtTheLargestCheapSizes) {
  const OpTable table = TableWithTurn();
  EXPECT_EQ(RuleOfRows(table, 1 << 20).text, "([_,b])->([_,b]) linear={0} max={0} min={0}");
}

// 250 rows stay as they are, and few columns are left.
TEST(Confirm, DimsThatAnotherFactorCutsBecomeSmallerFirst) {
  const OpTable table = TableWithTurn();
  EXPECT_EQ(RuleOfRows(table, 250, 600).text, "([_,b])->([_,b]) linear={0} max={0} min={0}");
}

// Rows unchanged, but in reverse order if they are more than those of the other input, and both
// have more than 100.
double TurnedIfMore(In in, int64_t i, int64_t j) {
  const int64_t rows = in[0].dim(0), others = in[1].dim(0);
  return At(in[0], rows > others && others > 100 ? rows - 1 - i : i, j) + At(in[1], 0, 0);
}

// 12001 is 253 below 256 in its phase, 11992 is 256.
TEST(Confirm, SizesKeepTheirOrderWhenTheyBecomeSmaller) {
  OpTable table = OpTable::BuiltIn();
  table.Add(ElementOp<double, SameAs, TurnedIfMore>("TurnIfMore"));
  const auto rule = [&](int64_t rows, int64_t others) {
    const std::string x = "f64[" + std::to_string(rows) + ",4]";
    const std::string y = "f64[" + std::to_string(others) + ",1]";
    const Graph graph =
        ParseGraph("graph g opset 26 {\n  input %x: " + x + "\n  input %y: " + y + "\n  %z: " + x +
                   " = test.TurnIfMore(%x, %y) @n\n  output %z\n}\n")
            .value();
    RuleBook book(table);
    return book.For(graph, graph.nodes[0]).text;
  };
  EXPECT_EQ(rule(11992, 12001), "([a,b],[_,_])->([a,b]) linear={0+1} max={0,1} min={0,1}");
  EXPECT_EQ(rule(12001, 11992), "([_,b],[_,_])->([_,b]) linear={0+1} max={0,1} min={0,1}");
}

// Eight elements that become twelve are not six that stay six, as they would be with all dims at
// most six.
TEST(Confirm, AnImageThatIsEnlargedStaysSo) {
  const Graph graph = ParseGraph(R"(graph g opset 26 {
  input %x: f32[6,6,8,8]
  constant %s: i64[1] = [12]
  %y: f32[6,6,12,8] = Resize(%x, _, _, %s) {axes = [2], coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "ceil"} @n
  output %y
}
)")
                          .value();
  RuleBook book(OpTable::BuiltIn());
  const Rule& rule = book.For(graph, graph.nodes[0]);
  for (const Factor& factor : rule.factors) EXPECT_FALSE(factor.composite) << factor.name;
}

// A cache of 8 rows, of which 6 are written, is too large to be confirmed whole. At sizes that only
// keep the order of atoms it would have as many rows as are written.
TEST(Confirm, ACacheStaysLongerThanWhatIsWritten) {
  const OpTable& table = OpTable::BuiltIn();
  const ExampleCall example(*table.Find("", "TensorScatter"),
                            {.inputs = {{{ElementType::kF32, {6, 8, 8}}},
                                        {{ElementType::kF32, {6, 6, 8}}},
                                        {{ElementType::kI64, {6}}}},
                             .attributes = {{"mode", std::string("circular")}}});
  BlackBox real(example.call);
  BlackBox small(example.call);
  small.set_values({2, 21, 15, 2, 9, 15, 2});  // sizes with the same common divisors
  const SymbolicRule found = DiscoverSmall(small, {}, &real);
  const auto sizes = SolveAtoms(found, real);
  ASSERT_TRUE(sizes.has_value()) << found.text << found.reason;
  const InnerFound inner;
  Confirmation confirmation({real, table, inner, 0}, found);
  EXPECT_TRUE(confirmation.Refutes(PassThrough{ReduceOp::kSum, {1}}, *sizes));
  EXPECT_FALSE(confirmation.Refutes(PassThrough{ReduceOp::kSum, {0, 1}}, *sizes));
}

TEST(Confirm, DimsThatNothingCutsAreNamed) {
  const Rule none = RuleOf(OpTable::BuiltIn(), "Det", "f32[3,8,8]", "f32[3]");
  EXPECT_EQ(none.factors.size(), 1u);
  ASSERT_EQ(none.uncut.size(), 2u);
  EXPECT_EQ(none.uncut[0], (UncutDim{true, 0, 1, "no cut of it was found to reproduce the whole"}));
}

}  // namespace
}  // namespace metadist::testing
