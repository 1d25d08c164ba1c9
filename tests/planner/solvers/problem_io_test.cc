// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/problem_io.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "planner/solvers/problem/evaluate.h"
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
    const SolveResult a = FindSolver("auto")->solve(problem, {}).value();
    const SolveResult b = FindSolver("auto")->solve(strict, {}).value();
    EXPECT_EQ(a.status, b.status) << seed;
    EXPECT_EQ(a.cost, b.cost) << seed;
    if (b.choice.empty()) continue;
    const Choice read = ParseChoice(WriteChoice(b.choice), problem).value();
    EXPECT_EQ(static_cast<int64_t>(Evaluate(problem, read).cost), a.cost) << seed;
    EXPECT_TRUE(Evaluate(problem, read).feasible()) << seed;
  }
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
  EXPECT_EQ(ParseChoice("[1.5, \"x\"]", problem).error().text(),
            "choice[0]: expected a strategy in [0, 1], got 1.5\n"
            "choice[1]: expected a strategy in [0, 0], got string");
  EXPECT_EQ(ParseChoice("[1, 0", problem).error().text(),
            "choice: expected ',' or ']', got the end of the file (line 1, byte 5)");
  EXPECT_EQ(ParseChoice(R"({"cost": [7], "choice": [1, 0]})", problem).value(), (Choice{1, 0}));
  EXPECT_EQ(
      ParseChoice(R"({"choice": [0, 0], "cost": 1, "choice": [1, 0]})", problem).error().text(),
      "choice: expected once, got twice");
  EXPECT_EQ(ParseChoice(R"({"choice": null})", problem).error().text(),
            "choice: expected an array of strategy indices");
}

TEST(ProblemIo, NodeNamesStandInTheirOwnFile) {
  Problem problem = ParseProblem(Text(kNodes, R"("nodes": [], "costs": [])")).value();
  problem.node_names = {"a \"quoted\"", "\xc3\xa9"};
  const std::string text = WriteNodeNames(problem);
  Problem other = problem;
  other.node_names.clear();
  ASSERT_TRUE(ReadNodeNames(text, other).ok());
  EXPECT_EQ(other.node_names, problem.node_names);
  other.node_names.clear();
  EXPECT_EQ(WriteNodeNames(other), "[\n\"node 0\",\n\"node 1\"\n]\n");
  EXPECT_EQ(ReadNodeNames("[\"a\"]", other).error().text(),
            "node names: expected 2 entries, got 1");
  EXPECT_FALSE(ReadNodeNames("[1, 2]", other).ok());
}

TEST(ProblemIo, NamesFitTheProblemAsWritten) {
  Problem problem = ParseProblem(Text(kNodes, R"("nodes": [], "costs": [])")).value();
  problem.node_names = {"a", "b"};
  problem.nodes[0].rows.push_back(problem.nodes[0].rows[0]);
  Problem written = ParseProblem(WriteProblem(problem)).value();
  ASSERT_TRUE(ReadNodeNames(WriteNodeNames(problem), written).ok());
  EXPECT_EQ(written.node_names, (std::vector<std::string>{"a", "b", "a"}));
}

TEST(ProblemIo, WritesWhateverNameThereIs) {
  Problem problem = ParseProblem(Text(kNodes, R"("nodes": [], "costs": [])")).value();
  problem.name = "a\"\n\xff";
  EXPECT_EQ(ParseProblem(WriteProblem(problem)).value().name, "a\"\n\xef\xbf\xbd");
}

}  // namespace
}  // namespace metadist
