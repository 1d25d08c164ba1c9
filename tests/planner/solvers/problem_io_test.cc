// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem_io.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "planner/solvers/evaluate.h"
#include "planner/solvers/solver.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

std::string Text(const std::string& nodes, const std::string& edges, const std::string& rest = "") {
  return "{\"problem\": {\"name\": \"x\", \"nodes\": {" + nodes + "}, \"edges\": {" + edges + "}" +
         rest + "}}";
}

constexpr const char* kNodes =
    R"("intervals": [[0,2],[1,1]], "costs": [[1,2],[3]], "usages": [[4,5],[6]])";

std::string ErrorText(const std::string& text) {
  const Result<Problem> result = ParseProblem(text);
  return result.ok() ? "" : result.error().text();
}

TEST(ProblemIo, ReadsTheExample) {
  std::ifstream file(METADIST_SOURCE_DIR "/tests/data/problems/example.json");
  std::stringstream text;
  text << file.rdbuf();
  const Problem problem = ParseProblem(text.str()).value();
  EXPECT_EQ(problem.name, "example");
  EXPECT_EQ(problem.nodes.size(), 5u);
  EXPECT_EQ(problem.usage_limit, 50);
  const Evaluation best = Evaluate(problem, {0, 0, 2, 1, 0});
  EXPECT_EQ(WideText(best.cost), "445");
  EXPECT_EQ(best.peak, 50);
  EXPECT_EQ(Evaluate(problem, {0, 0, 1, 1, 0}).peak, 55);
}

TEST(ProblemIo, RoundTripIsExact) {
  const Problem problem = LayeredProblem(1, 2, 4, 1.2);
  const std::string text = WriteProblem(problem);
  const Problem again = ParseProblem(text).value();
  EXPECT_EQ(WriteProblem(again), text);
  EXPECT_EQ(again.nodes.size(), problem.nodes.size());
  EXPECT_EQ(again.usage_limit, problem.usage_limit);
}

TEST(ProblemIo, StrictFileHasTheSameOptimum) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Problem problem = RandomProblem(seed, {});
    const Problem strict = ParseProblem(WriteProblem(problem)).value();
    for (const ProblemNode& node : strict.nodes) EXPECT_LE(node.rows.size(), 1u);
    const SolveResult a = FindSolver("ilp")->solve(problem, {}).value();
    const SolveResult b = FindSolver("ilp")->solve(strict, {}).value();
    EXPECT_EQ(a.status, b.status) << seed;
    EXPECT_EQ(a.cost, b.cost) << seed;
    if (b.choice.empty()) continue;
    const Choice read = ParseChoice(WriteChoice(b.choice), problem).value();
    EXPECT_EQ(static_cast<int64_t>(Evaluate(problem, read).cost), a.cost) << seed;
    EXPECT_TRUE(Evaluate(problem, read).feasible()) << seed;
  }
}

TEST(ProblemIo, SharesEqualMatricesAndFoldsOneEndedEdges) {
  const Problem problem =
      ParseProblem(Text(kNodes, R"("nodes": [[0,1],[1,0],[0]], "costs": [[7,8],[7,8],[10,20]])"))
          .value();
  ASSERT_EQ(problem.edges.size(), 2u);
  EXPECT_EQ(problem.edges[0].costs, problem.edges[1].costs);
  EXPECT_EQ(problem.nodes[0].costs, (std::vector<int64_t>{11, 22}));
  EXPECT_FALSE(problem.usage_limit.has_value());
}

TEST(ProblemIo, NamesTheBadField) {
  const std::string edges = R"("nodes": [[0,1]], "costs": [[7,8]])";
  EXPECT_EQ(ErrorText("{"), "expected JSON, got text that does not parse");
  EXPECT_EQ(ErrorText("[]"), "root: expected an object, got array");
  EXPECT_EQ(ErrorText("{}"), "problem: expected a value, got none");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [], "costs": [])", edges)),
            "problem.nodes.usages: expected a value, got none");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [], "costs": [[1]], "usages": [[1]])", edges)),
            "problem.nodes.intervals: expected 1 entries as costs, got 0");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [[0,1]], "costs": [[1]], "usages": [[1.5]])", edges)),
            "problem.nodes.usages[0][0]: expected an integer of 64 bits, got 1.5\n"
            "problem.nodes.usages[0]: expected 1 entries as costs, got 0");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,1,0]], "costs": [[7,8]])")),
            "problem.edges.nodes[0]: expected one or two nodes, got 3");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,2]], "costs": [[7,8]])")),
            "problem.edges.nodes[0]: expected nodes below 2, got 2");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,0]], "costs": [[7,8,9,0]])")),
            "problem.edges.nodes[0]: expected two different nodes, got 0 twice");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,1]], "costs": [[7]])")),
            "problem.edges.costs[0]: expected 2 entries, got 1");
  EXPECT_EQ(ErrorText(Text(kNodes, edges, R"(, "usage_limit": "x")")),
            "problem.usage_limit: expected an integer of 64 bits, got string");
}

TEST(ProblemIo, ReportsSeveralProblems) {
  const std::string text =
      ErrorText(Text(kNodes, R"("nodes": [[0,9],[8,1]], "costs": [[7,8],[1]])"));
  EXPECT_EQ(text,
            "problem.edges.nodes[0]: expected nodes below 2, got 9\n"
            "problem.edges.nodes[1]: expected nodes below 2, got 8");
}

TEST(ProblemIo, ChecksChoices) {
  const Problem problem = ParseProblem(Text(kNodes, R"("nodes": [], "costs": [])")).value();
  EXPECT_EQ(ParseChoice("[1, 0]", problem).value(), (Choice{1, 0}));
  EXPECT_EQ(WriteChoice({1, 0}), "[1, 0]\n");
  EXPECT_EQ(ParseChoice("{}", problem).error().text(),
            "choice: expected an array of strategy indices");
  EXPECT_EQ(ParseChoice("[1]", problem).error().text(), "choice: expected 2 entries, got 1");
  EXPECT_EQ(ParseChoice("[2, -1]", problem).error().text(),
            "choice[0]: expected a strategy in [0, 1], got 2\n"
            "choice[1]: expected a strategy in [0, 0], got -1");
}

}  // namespace
}  // namespace metadist
