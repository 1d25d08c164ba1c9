// SPDX-License-Identifier: Apache-2.0
// Prints a generated problem:  solver_instances layers|grid|tree NODES SEED > problem.json
#include <cstdio>
#include <cstdlib>
#include <string>

#include "planner/solvers/problem/problem_io.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

// Number of decisions in the shortest problem, in whole rows of the grid.
constexpr int kPeriod = 480;

Problem Generate(const std::string& kind, int nodes, uint64_t seed) {
  if (kind == "layers") return LayeredProblem(seed, (nodes - 1) / 9, 8, 1.2);
  if (kind == "grid") return GridProblem(seed, nodes / 16, 8, 6, 1.2, kPeriod);
  return TreeProblem(seed, nodes / 2, 6, 1.2, kPeriod);
}

}  // namespace
}  // namespace metadist

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: solver_instances layers|grid|tree NODES SEED\n", stderr);
    return 2;
  }
  const std::string text = metadist::WriteProblem(
      metadist::Generate(argv[1], std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10)));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
