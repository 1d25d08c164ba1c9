// SPDX-License-Identifier: Apache-2.0
// Prints the memory-free part of a problem as a .wcsp file for toulbar2, as it is or reduced:
//   solver_wcsp problem.json raw|reduced > problem.wcsp
// toulbar2 requires costs >= 0, so the least entry of each function is subtracted; their sum is the
// name: optimum of the problem = name + optimum of the file.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "planner/solvers/problem/problem_io.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {
namespace {

struct Function {
  std::vector<int> scope;
  std::vector<int64_t> costs;
};

struct Network {
  std::vector<size_t> sizes;
  std::vector<Function> functions;
  int64_t constant = 0;
};

Network FromReduced(const Reduced& reduced) {
  Network out;
  out.constant = reduced.constant;
  for (int i = 0; i < reduced.count(); ++i) {
    out.sizes.push_back(reduced.size(i));
    out.functions.push_back({{i}, {reduced.costs[i].begin(), reduced.costs[i].end()}});
  }
  for (const Reduced::Edge& edge : reduced.edges) {
    out.functions.push_back({{edge.a, edge.b}, edge.costs});
  }
  return out;
}

Network FromProblem(const Problem& problem) {
  Network out;
  auto read = [](std::vector<int64_t> costs) {
    for (int64_t& cost : costs) cost = cost >= kForbiddenFrom ? kInfinite : cost;
    return costs;
  };
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    out.sizes.push_back(problem.nodes[i].costs.size());
    out.functions.push_back({{static_cast<int>(i)}, read(problem.nodes[i].costs)});
  }
  for (const ProblemEdge& edge : problem.edges) {
    out.functions.push_back({{edge.a, edge.b}, read(*edge.costs)});
  }
  return out;
}

// Makes all costs >= 0. Returns more than the cost of any choice without a forbidden entry.
int64_t Shift(Network& network) {
  int64_t above = 1;
  for (Function& function : network.functions) {
    const int64_t least = *std::min_element(function.costs.begin(), function.costs.end());
    if (IsInfinite(least)) continue;
    network.constant += least;
    int64_t most = 0;
    for (int64_t& cost : function.costs) {
      if (IsInfinite(cost)) continue;
      cost -= least;
      most = std::max(most, cost);
    }
    above += most;
  }
  return above;
}

void Print(const Network& network, int64_t above) {
  size_t largest = 1;
  for (size_t size : network.sizes) largest = std::max(largest, size);
  std::printf("%lld %zu %zu %zu %lld\n",
              static_cast<long long>(network.constant),
              network.sizes.size(),
              largest,
              network.functions.size(),
              static_cast<long long>(above));
  for (size_t size : network.sizes) std::printf("%zu ", size);
  std::printf("\n");
  for (const Function& function : network.functions) {
    const size_t columns = function.scope.size() == 1 ? 1 : network.sizes[function.scope[1]];
    std::printf("%zu", function.scope.size());
    for (int node : function.scope) std::printf(" %d", node);
    std::printf(" 0 %zu\n", function.costs.size());
    for (size_t k = 0; k < function.costs.size(); ++k) {
      std::printf("%zu ", k / columns);
      if (function.scope.size() == 2) std::printf("%zu ", k % columns);
      std::printf("%lld\n", static_cast<long long>(std::min(function.costs[k], above)));
    }
  }
}

int Main(const std::string& path, bool reduce) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Problem> problem = ParseProblem(text.str());
  if (!problem.ok()) {
    std::fputs(problem.error().text().c_str(), stderr);
    return 3;
  }
  const Problem untied = WithTiesAsEdges(problem.value());
  Network network =
      reduce ? FromReduced(Reduce(untied, ReduceMode::kWithoutMemory)) : FromProblem(untied);
  const int64_t above = Shift(network);
  Print(network, above);
  return 0;
}

}  // namespace
}  // namespace metadist

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: solver_wcsp problem.json raw|reduced\n", stderr);
    return 2;
  }
  return metadist::Main(argv[1], std::string(argv[2]) == "reduced");
}
