// SPDX-License-Identifier: Apache-2.0
// The routes of other systems: exact cases, the figures for all pairs on a small mesh compared with
// our own routes, and a check of every step.
#include "planner/redistribute/baselines/baselines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "planner/redistribute/baselines/normal_form.h"
#include "tests/planner/redistribute/route_check.h"

namespace metadist {
namespace {

Moves NormalFormRoute(const RouteProblem& problem) {
  ElementCosts costs(problem.mesh->fine);
  return NormalForm(problem, costs);
}

using Method = Moves (*)(const RouteProblem&);
const std::vector<std::pair<std::string, Method>>& Methods() {
  static const std::vector<std::pair<std::string, Method>> kMethods{
      {"nf", NormalFormRoute},
      {"xla", XlaRoute},
      {"dtensor-greedy", DtensorGreedyRoute},
      {"dtensor-graph", DtensorGraphRoute},
      {"shardy", ShardyRoute},
      {"xla, later", LaterXlaRoute}};
  return kMethods;
}

// "peak/received" of a route, "n/a" without one.
std::string SizeText(const RouteProblem& problem, const Moves& moves) {
  if (!moves) return "n/a";
  const RouteSize size = SizeOf(problem, *moves);
  return fmt::format("{}/{}", size.peak, size.received);
}

struct Case {
  const char* mesh;
  Shape shape;
  const char* from;
  const char* to;
  const char* nf;
  const char* xla;
  const char* greedy;
  const char* graph;
};

class ExactCases : public testing::TestWithParam<Case> {};

TEST_P(ExactCases, PeakAndReceived) {
  const Case& c = GetParam();
  const TestProblem test(c.mesh, c.shape, c.from, c.to);
  const std::vector<const char*> wanted{c.nf, c.xla, c.greedy, c.graph};
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& [name, method] = Methods()[i];
    const Moves moves = method(test.problem);
    EXPECT_EQ(SizeText(test.problem, moves), wanted[i]) << name;
    if (moves) {
      EXPECT_EQ(CheckRoute(test.problem, *moves), "") << name;
    }
  }
}

// Rows A to J of the specification.
INSTANTIATE_TEST_SUITE_P(
    Table,
    ExactCases,
    testing::Values(
        Case{"x=4,y=2",
             {16, 16, 16},
             "[y][][x]",
             "[][x,y][]",
             "512/640",
             "4096/3584",
             "1024/1280",
             "512/640"},
        Case{"x=2,y=4", {16, 16}, "[x][y]", "[y][x]", "32/48", "32/48", "128/160", "64/80"},
        Case{"x=2,y=4", {16, 16}, "[x,y][]", "[][x,y]", "32/28", "32/28", "128/160", "64/128"},
        Case{"x=2,y=4", {16, 16}, "[x,y][]", "[y,x][]", "32/32", "32/32", "n/a", "64/104"},
        Case{"x=2,y=4", {16, 16}, "[x][]", "[y][]", "128/64", "128/64", "256/128", "128/80"},
        Case{"x=2,y=4", {16, 16}, "[x][y]", "[x,y][]", "32/24", "256/224", "32/24", "32/24"},
        Case{"x=2,y=3", {12, 12}, "[x][y]", "[y][x]", "24/44", "144/120", "72/84", "48/56"},
        Case{"x=2,y=3", {6}, "[x]", "[y]", "3/2", "6/3", "6/3", "6/3"},
        Case{"x=2,y=2,z=2",
             {8, 8, 8},
             "[x][y][z]",
             "[z][x][y]",
             "64/64",
             "64/64",
             "128/192",
             "64/160"}));

TEST(Xla, LaterPatternsAvoidFullCopies) {
  const TestProblem test("x=2,y=4", {16, 16}, "[x][y]", "[x,y][]");
  const Moves moves = LaterXlaRoute(test.problem);
  EXPECT_EQ(SizeText(test.problem, moves), "32/24");
  EXPECT_EQ(CheckRoute(test.problem, *moves), "");
}

struct StepCase {
  const char* mesh;
  size_t dims;  // of 256
  const char* from;
  const char* to;
  const char* steps;
};

class ShardySteps : public testing::TestWithParam<StepCase> {};

// The steps of sdy-reshard-to-collectives, as measured by tests/wide/peers.py.
TEST_P(ShardySteps, AreThoseOfThePass) {
  const StepCase& c = GetParam();
  const TestProblem test(c.mesh, Shape(c.dims, 256), c.from, c.to);
  const std::vector<Move> moves = ShardyRoute(test.problem).value();
  std::string steps;
  for (const Move& move : moves)
    steps += fmt::format(
        "{} {}\n", Name(move.kind), TextOn(test.problem.view.ShardingOf(move.to), test.mesh));
  EXPECT_EQ(steps, c.steps);
}

INSTANTIATE_TEST_SUITE_P(
    Table,
    ShardySteps,
    testing::Values(
        StepCase{"x=2,y=4", 1, "[y]", "[x]", "Permute [x,y@2.2]\nAllGather [x]\n"},
        StepCase{"x=4,y=2", 3, "[y][][x]", "[][x,y][]", "AllToAll [y][x][]\nAllToAll [][x,y][]\n"},
        StepCase{"x=2,y=2", 2, "[][y]", "[y,x][]", "Slice [][y,x]\nAllToAll [y,x][]\n"},
        StepCase{"x=2,y=2",
                 2,
                 "[][x,y]",
                 "[x][]",
                 "Permute [][y,x]\nAllToAll [x][y]\nAllGather [x][]\n"},
        StepCase{"x=2,y=2", 2, "[][x,y]", "[y,x][]", "Permute [][y,x]\nAllToAll [y,x][]\n"}));

// All ways to assign the axes of a mesh, in mesh order, to two dims or to none.
std::vector<std::string> OrderedShardings(const std::vector<std::string>& axes) {
  std::vector<std::array<std::string, 2>> all{{"", ""}};
  for (const std::string& axis : axes) {
    std::vector<std::array<std::string, 2>> next;
    for (const auto& dims : all) {
      next.push_back(dims);
      for (size_t d = 0; d < 2; ++d) {
        next.push_back(dims);
        next.back()[d] += (dims[d].empty() ? "" : ",") + axis;
      }
    }
    all = next;
  }
  std::vector<std::string> texts;
  for (const auto& dims : all) texts.push_back(fmt::format("[{}][{}]", dims[0], dims[1]));
  return texts;
}

struct Tally {
  int pairs = 0;
  int bounded = 0;        // peak no more than the larger end
  double worst_peak = 1;  // peak over the larger end
  double log_ratio = 0;   // log of bytes relative to nf, over pairs where nf moves data
  double worst_ratio = 0;
  int ratios = 0;
  int copies = 0;  // pairs with the whole array on every rank in between

  double share() const { return 100.0 * bounded / pairs; }
  double geomean() const { return std::exp(log_ratio / ratios); }
  double copies_share() const { return 100.0 * copies / pairs; }
};

void Count(const RouteProblem& problem, const std::vector<Move>& moves, double nf, Tally& tally) {
  const RouteSize size = SizeOf(problem, moves);
  const auto most = static_cast<double>(problem.most_elements());
  ++tally.pairs;
  tally.bounded += static_cast<double>(size.peak) <= most;
  tally.worst_peak = std::max(tally.worst_peak, static_cast<double>(size.peak) / most);
  int64_t whole = 1;
  for (size_t slot = 0; slot < problem.view.slots(); ++slot) whole *= problem.view.sizes(slot)[0];
  tally.copies += size.peak == whole && problem.most_elements() < whole;
  if (nf == 0) return;
  ++tally.ratios;
  tally.log_ratio += std::log(size.received / nf);
  tally.worst_ratio = std::max(tally.worst_ratio, size.received / nf);
}

TEST(Baselines, AllPairsOn2x2x2InMeshOrder) {
  std::map<std::string, Tally> tallies;
  const std::vector<std::string> all = OrderedShardings({"x", "y", "z"});
  for (const std::string& from : all)
    for (const std::string& to : all) {
      if (from == to) continue;
      const TestProblem test("x=2,y=2,z=2", {16, 16}, from, to);
      double nf = 0;
      for (const auto& [name, method] : Methods()) {
        const std::string where = fmt::format("{}: {} -> {}", name, from, to);
        const Moves moves = method(test.problem);
        ASSERT_TRUE(moves.has_value()) << where;
        ASSERT_EQ(CheckRoute(test.problem, *moves), "") << where;
        const double received = SizeOf(test.problem, *moves).received;
        if (name == "nf") nf = received;
        EXPECT_LE(nf, received) << where;
        Count(test.problem, *moves, nf, tallies[name]);
      }
    }
  fmt::print("{:16} {:>6} {:>8} {:>6} {:>8} {:>7} {:>8}\n",
             "planner",
             "pairs",
             "in bound",
             "peak",
             "geomean",
             "worst",
             "copies");
  for (const auto& [name, method] : Methods()) {
    const Tally& t = tallies[name];
    fmt::print("{:16} {:6} {:7.1f}% {:5.1f}x {:8.4f} {:7.2f} {:7.1f}%\n",
               name,
               t.pairs,
               t.share(),
               t.worst_peak,
               t.geomean(),
               t.worst_ratio,
               t.copies_share());
  }
  struct Row {
    const char* name;
    double share, peak, geomean, worst;
    double exact;  // geomean, if routes equal those of the systems themselves (tests/wide/peers.py)
  };
  for (const Row& row : {Row{"xla", 70.1, 8, 1.65, 14, 1.6323},
                         Row{"xla, later", 89.7, 4, 1.27, 12, 1.2728},
                         Row{"dtensor-greedy", 41.3, 4, 1.81, 8, 1.8046},
                         Row{"dtensor-graph", 69.2, 4, 1.44, 5.7, 1.4433},
                         Row{"shardy", 100, 1, 1.02, 1.5, 1.0236}}) {
    const Tally& t = tallies[row.name];
    EXPECT_EQ(t.pairs, 702) << row.name;
    EXPECT_EQ(t.ratios, 630) << row.name;
    EXPECT_NEAR(t.share(), row.share, 1) << row.name;
    EXPECT_NEAR(t.geomean(), row.geomean, 0.02) << row.name;
    EXPECT_NEAR(t.geomean(), row.exact, 5e-5) << row.name;
    EXPECT_EQ(t.worst_peak, row.peak) << row.name;
    EXPECT_NEAR(t.worst_ratio, row.worst, 0.05) << row.name;
  }
  EXPECT_NEAR(tallies["xla"].copies_share(), 29.9, 0.05);
}

// A random end: every axis cuts a dim, is partial, or is unused. partial: the axes that may be
// partial; on return, those that are.
std::string RandomEnd(std::mt19937& draw, size_t dims, std::set<std::string>& partial) {
  std::vector<std::string> axes{"x", "y", "z"};
  std::vector<std::string> texts(dims);
  std::set<std::string> chosen;
  for (size_t left = axes.size(); left > 0; --left) {
    std::swap(axes[draw() % left], axes[left - 1]);
    const std::string& axis = axes[left - 1];
    const size_t place = draw() % (dims + 2);
    if (place < dims) texts[place] += (texts[place].empty() ? "" : ",") + axis;
    if (place == dims && partial.count(axis) > 0) chosen.insert(axis);
  }
  partial = chosen;
  const std::string sum =
      chosen.empty() ? "" : fmt::format(" partial{{sum: {}}}", fmt::join(chosen, ","));
  return fmt::format("[{}]{}", fmt::join(texts, "]["), sum);
}

// Axes of composite and of odd sizes, in any order, and partial sums.
TEST(Baselines, StepsOfRandomRoutesAreWhatTheySay) {
  std::mt19937 draw(20261121);
  std::map<std::string, int> found;
  int problems = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<int> sizes{2, 3, 4, 6};
    const size_t dims = 1 + draw() % 3;
    const std::string mesh =
        fmt::format("x={},y={},z={}", sizes[draw() % 4], sizes[draw() % 4], sizes[draw() % 4]);
    std::set<std::string> partial{"x", "y", "z"};
    const std::string from = RandomEnd(draw, dims, partial);
    const std::string to = RandomEnd(draw, dims, partial);
    const TestProblem test(mesh, Shape(dims, 5184), from, to);
    ++problems;
    for (const auto& [name, method] : Methods()) {
      if (name == "nf") continue;
      const Moves moves = method(test.problem);
      if (!moves) continue;
      ++found[name];
      ASSERT_EQ(CheckRoute(test.problem, *moves), "")
          << name << " on " << mesh << ": " << from << " -> " << to;
    }
  }
  // DTensor's greedy walk only supports mesh order, Shardy's pass splits some axes within a factor;
  // the others have a route for every problem.
  for (const auto& [name, count] : found) fmt::print("{:16} {} of {}\n", name, count, problems);
  EXPECT_EQ(found["xla"], problems);
  EXPECT_EQ(found["xla, later"], problems);
  EXPECT_EQ(found["dtensor-graph"], problems);
  EXPECT_GT(found["dtensor-greedy"], problems / 2);
  EXPECT_GT(found["shardy"], problems * 8 / 10);
}

TEST(Baselines, PartialSumsAreReducedOnTheWay) {
  const TestProblem test("x=2,y=4", {16, 16}, "[y][] partial{sum: x}", "[y][x]");
  for (const auto& [name, wanted] :
       std::map<std::string, std::string>{{"nf", "reduce_scatter"},
                                          {"xla", "all_reduce,slice"},
                                          {"dtensor-greedy", "reduce_scatter"},
                                          {"dtensor-graph", "reduce_scatter"},
                                          {"shardy", "all_reduce,slice"}}) {
    const auto method = std::find_if(
        Methods().begin(), Methods().end(), [&](const auto& entry) { return entry.first == name; });
    EXPECT_EQ(KindsOf(method->second(test.problem).value()), wanted) << name;
  }
}

TEST(Baselines, DtensorKnowsWholeAxesOnly) {
  const TestProblem part("x=4", {16, 16}, "[x@1.2][]", "[][x@1.2]");
  EXPECT_FALSE(DtensorGreedyRoute(part.problem).has_value());
  EXPECT_FALSE(DtensorGraphRoute(part.problem).has_value());
  EXPECT_TRUE(ShardyRoute(part.problem).has_value());
  const TestProblem turned("x=2,y=2", {16, 16}, "[y,x][]", "[][x]");
  EXPECT_FALSE(DtensorGreedyRoute(turned.problem).has_value());
  EXPECT_TRUE(DtensorGraphRoute(turned.problem).has_value());
}

TEST(Baselines, UnevenPiecesBreakARouteUnlessAllowed) {
  TestProblem test("x=4", {6, 8}, "[x][]", "[][x]");
  for (const auto& [name, method] : Methods()) {
    if (name == "nf") continue;
    test.problem.even = true;
    EXPECT_FALSE(method(test.problem).has_value()) << name;
    test.problem.even = false;
    EXPECT_EQ(KindsOf(method(test.problem).value()), "a2a") << name;
  }
}

}  // namespace
}  // namespace metadist
