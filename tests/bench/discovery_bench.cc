// SPDX-License-Identifier: Apache-2.0
// Finding the rule of one signature by running its operator.
#include <benchmark/benchmark.h>

#include "planner/rules/search/discover.h"
#include "tests/bench/bench_call.h"

namespace metadist {
namespace {

using testing::BenchCall;
using testing::Floats;

void Discovery(benchmark::State& state, const std::string& op, const OpExample& example) {
  const BenchCall call(op, example);
  SymbolicRule found;
  for ([[maybe_unused]] auto _ : state) found = Discover(call.call());
  state.SetLabel(found.text);
  state.counters["runs"] = static_cast<double>(found.kernel_runs);
}

void DiscoverProduct(benchmark::State& state) {
  Discovery(state, "MatMul", {.inputs = {Floats({32, 256}), Floats({256, 1024})}});
}
BENCHMARK(DiscoverProduct)->Unit(benchmark::kMillisecond);

void DiscoverConcatOfSeven(benchmark::State& state) {
  OpExample example{.inputs = std::vector<OpExample::Input>(7, Floats({32, 16, 8}))};
  example.attributes.set("axis", int64_t{1});
  Discovery(state, "Concat", example);
}
BENCHMARK(DiscoverConcatOfSeven)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace metadist
