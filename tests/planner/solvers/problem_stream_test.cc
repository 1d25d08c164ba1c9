// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/problem_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/problem_io.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

constexpr const char* kNodes =
    R"("intervals": [[0,2],[1,1]], "costs": [[1,2],[3]], "usages": [[4,5],[6]])";
constexpr const char* kEdges = R"("nodes": [[0,1]], "costs": [[7,8]])";

std::string Text(const std::string& nodes, const std::string& edges, const std::string& rest = "") {
  return R"({"problem": {"name": "x", "nodes": {)" + nodes + R"(}, "edges": {)" + edges + "}" +
         rest + "}}";
}

std::string ErrorText(const std::string& text) {
  const Result<ProblemFile> result = ReadProblem(TextSource(text));
  return result.ok() ? "" : result.error().text();
}

TEST(ProblemStream, PiecesOfAnySizeGiveTheSame) {
  const std::string text = WriteProblem(LayeredProblem(1, 2, 4, 1.2));
  for (size_t size : {1, 7, 4096}) {
    size_t at = 0;
    const auto file = ReadProblem([&](std::span<char> into) -> Result<size_t> {
      const size_t count = std::min({size, into.size(), text.size() - at});
      text.copy(into.data(), count, at);
      at += count;
      return count;
    });
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(WriteProblem(file.value().problem), text) << size;
  }
}

TEST(ProblemStream, KeysComeInAnyOrder) {
  const std::string text =
      R"({"problem": {"usage_limit": 9, "edges": {"costs": [[7, 8]], "nodes": [[0, 1]]}, "nodes":)"
      R"({"usages": [[4,5],[6]], "costs": [[1,2],[3]], "intervals": [[0,2],[1,1]]}, "name": "x"}})";
  EXPECT_EQ(WriteProblem(ParseProblem(text).value()),
            WriteProblem(ParseProblem(Text(kNodes, kEdges, R"(, "usage_limit": 9)")).value()));
}

TEST(ProblemStream, SharesEqualMatricesAndFoldsOneEndedEdges) {
  const Problem problem =
      ParseProblem(Text(kNodes, R"("nodes": [[0,1],[1,0],[0]], "costs": [[7,8],[7,8],[10,20]])"))
          .value();
  ASSERT_EQ(problem.edges.size(), 2u);
  EXPECT_EQ(problem.edges[0].costs, problem.edges[1].costs);
  EXPECT_EQ(problem.nodes[0].costs, (std::vector<int64_t>{11, 22}));
  EXPECT_FALSE(problem.usage_limit.has_value());
}

TEST(ProblemStream, ForbiddenEntriesOfOneEndedEdgesStayForbidden) {
  const Problem problem = ParseProblem(Text(kNodes,
                                            R"("nodes": [[0]], "costs": [[100000000000000000,)"
                                            R"(-5]])"))
                              .value();
  EXPECT_EQ(problem.nodes[0].costs, (std::vector<int64_t>{kForbidden, -3}));
}

TEST(ProblemStream, TellsKeysItDoesNotKnow) {
  const auto file = ReadProblem(TextSource(Text(
      std::string(kNodes) + R"(, "names": ["a"])", kEdges, R"(, "usage_limits": {"a": [[]]})")));
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file.value().unknown_keys,
            (std::vector<std::string>{"problem.nodes.names", "problem.usage_limits"}));
}

TEST(ProblemStream, NamesTheBadField) {
  EXPECT_EQ(ErrorText("{"), "expected a key in quotes, got the end of the file (line 1, byte 1)");
  EXPECT_EQ(ErrorText("[]"), "root: expected an object, got array");
  EXPECT_EQ(ErrorText("{}"), "problem: expected a value, got none");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [], "costs": [])", kEdges)),
            "problem.nodes.usages: expected a value, got none");
  EXPECT_EQ(ErrorText(R"({"problem": {"nodes": {}}})"),
            "problem.edges: expected a value, got none\n"
            "problem.nodes.intervals: expected a value, got none\n"
            "problem.nodes.costs: expected a value, got none\n"
            "problem.nodes.usages: expected a value, got none");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [], "costs": [[1]], "usages": [[1]])", kEdges)),
            "problem.nodes.intervals: expected 1 entries as costs, got 0");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [[0,1]], "costs": [[1]], "usages": [[1.5]])", kEdges)),
            "problem.nodes.usages[0][0]: expected an integer of 64 bits, got 1.5");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [[0]], "costs": [[1]], "usages": [[-1]])", kEdges)),
            "problem.nodes.intervals[0]: expected two times, got 1\n"
            "problem.nodes.usages[0][0]: expected a usage of at least 0, got -1");
  EXPECT_EQ(ErrorText(Text(R"("intervals": [[0,1]], "costs": [[]], "usages": [[]])",
                           R"("nodes": [], "costs": [])")),
            "problem.nodes.costs[0]: expected a strategy, got none");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,1,0]], "costs": [[7,8]])")),
            "problem.edges.nodes[0]: expected one or two nodes, got 3");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[]], "costs": [[7,8]])")),
            "problem.edges.nodes[0]: expected one or two nodes, got 0");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,2]], "costs": [[7,8]])")),
            "problem.edges.nodes[0]: expected nodes below 2, got 2");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,0]], "costs": [[7,8,9,0]])")),
            "problem.edges.nodes[0]: expected two different nodes, got 0 twice");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,1]], "costs": [[7]])")),
            "problem.edges.costs[0]: expected 2 entries, got 1");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,1],[1,0]], "costs": [[7,8]])")),
            "problem.edges.costs: expected 2 entries as nodes, got 1");
  EXPECT_EQ(ErrorText(Text(kNodes, kEdges, R"(, "usage_limit": "x")")),
            "problem.usage_limit: expected an integer of 64 bits, got string");
  EXPECT_EQ(ErrorText(Text(kNodes, kEdges, R"(, "name": "y")")),
            "problem.name: expected once, got twice");
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": 5, "costs": [7])")),
            "problem.edges.nodes: expected an array, got number\n"
            "problem.edges.costs[0]: expected an array, got number");
}

TEST(ProblemStream, NamesFieldAndPlaceOfBrokenText) {
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,1]], "costs": [[7 8]])")),
            "problem.edges.costs[0]: expected ',' or ']', got '8' (line 1, byte 151)");
  EXPECT_EQ(ErrorText(Text(kNodes, kEdges) + "{"),
            "expected the end of the file, got '{' (line 1, byte 157)");
  // Problems found before the syntax error are reported too.
  EXPECT_EQ(ErrorText(R"({"problem": {"usage_limit": 1.5, "nodes")"),
            "problem.usage_limit: expected an integer of 64 bits, got 1.5\n"
            "problem: expected ':', got the end of the file (line 1, byte 40)");
}

TEST(ProblemStream, RefusesNumbersThatDoNotAddUp) {
  EXPECT_EQ(ErrorText(Text(R"("intervals": [[0,1]], "costs": [[99999999999999999]],)"
                           R"("usages": [[1]])",
                           R"("nodes": [[0]], "costs": [[1]])")),
            "problem.edges.costs[0]: expected a sum with the node's costs below "
            "100000000000000000, got 100000000000000000");
  std::string rows = "[1]";
  std::string costs = "[99999999999999999]";
  std::string intervals = "[0,1]";
  for (int k = 0; k < 9; ++k) {
    rows += ",[1]";
    costs += ",[99999999999999999]";
    intervals += ",[0,1]";
  }
  EXPECT_EQ(ErrorText(Text(R"("intervals": [)" + intervals + R"(], "costs": [)" + costs +
                               R"(], "usages": [)" + rows + "]",
                           R"("nodes": [], "costs": [])")),
            "problem: costs: expected a total below 576460752303423488, got 1e+18");
}

TEST(ProblemStream, TellsAllProblemsOfAKind) {
  EXPECT_EQ(ErrorText(Text(kNodes, R"("nodes": [[0,9],[8,1]], "costs": [[7,8],[1]])")),
            "problem.edges.nodes[0]: expected nodes below 2, got 9\n"
            "problem.edges.nodes[1]: expected nodes below 2, got 8");
}

}  // namespace
}  // namespace metadist
