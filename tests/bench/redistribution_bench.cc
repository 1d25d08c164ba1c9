// SPDX-License-Identifier: Apache-2.0
// Plans the redistribution of an array from one sharding to another, without cached results.
#include <benchmark/benchmark.h>

#include "planner/redistribute/redistribute.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

void Redistribute(benchmark::State& state, const char* axes, const char* from, const char* to) {
  const Mesh mesh = ParseMesh(axes).value();
  const Cluster cluster = TestCluster(static_cast<int>(mesh.ranks()));
  const TensorType type{ElementType::kF32, {1024, 1024}};
  const Sharding source = ParseSharding(from, type.shape, mesh).value();
  const Sharding target = ParseSharding(to, type.shape, mesh).value();
  size_t steps = 0;
  for ([[maybe_unused]] auto _ : state) {
    Redistributor routes(mesh, cluster);
    steps = routes.Between(type, source, target).steps.size();
  }
  state.counters["steps"] = static_cast<double>(steps);
}
BENCHMARK_CAPTURE(Redistribute, gather, "x=8", "[x][]", "[][]");
BENCHMARK_CAPTURE(Redistribute, turn, "x=8", "[x][]", "[][x]");
BENCHMARK_CAPTURE(Redistribute, reduce, "x=2,y=4", "[x][] partial{sum: y}", "[][x]");
BENCHMARK_CAPTURE(Redistribute, swap_axes, "x=2,y=4", "[x,y][]", "[y,x][]");
BENCHMARK_CAPTURE(Redistribute, three_axes, "x=2,y=2,z=2", "[x,y][z]", "[z][y,x]");

}  // namespace
}  // namespace metadist
