// SPDX-License-Identifier: Apache-2.0
// Kernels on one thread. bytes_per_second counts the bytes that a kernel must read and write;
// `memcpys` is its time in units of a copy of as many bytes, timed right after it, so that load
// from other programs affects both.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>

#include "tests/bench/bench_call.h"
#include "tests/executor/model.h"

namespace metadist {
namespace {

using testing::BenchCall;
using testing::Floats;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds of a copy that reads and writes `bytes` in total.
double CopySeconds(int64_t bytes) {
  const std::vector<char> from(static_cast<size_t>(bytes / 2), 1);
  std::vector<char> to(from.size());
  int copies = 0;
  std::memcpy(to.data(), from.data(), from.size());
  const auto start = Clock::now();
  do {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
    ++copies;
  } while (SecondsSince(start) < 0.05);
  return SecondsSince(start) / copies;
}

void RunCall(benchmark::State& state, const std::string& op, const OpExample& example) {
  cpu::UseOneThread();
  BenchCall call(op, example);
  call.Bind();
  call.Run();
  const auto start = Clock::now();
  for ([[maybe_unused]] auto _ : state) {
    call.Run();
    benchmark::ClobberMemory();
  }
  const double seconds = SecondsSince(start) / static_cast<double>(state.iterations());
  state.SetLabel(call.kernel());
  state.SetBytesProcessed(state.iterations() * call.work().bytes);
  if (call.work().batch > 0)
    state.SetItemsProcessed(state.iterations() * call.work().flops);
  else
    state.counters["memcpys"] = seconds / CopySeconds(call.work().bytes);
}

void Transpose(benchmark::State& state, Shape shape, std::vector<int64_t> order) {
  OpExample example{.inputs = {Floats(std::move(shape))}};
  example.attributes.set("perm", std::move(order));
  RunCall(state, "Transpose", example);
}
BENCHMARK_CAPTURE(Transpose, vocabulary, {50257, 768}, {1, 0});
BENCHMARK_CAPTURE(Transpose, square, {1024, 1024}, {1, 0});
BENCHMARK_CAPTURE(Transpose, heads, {8, 128, 12, 64}, {0, 2, 1, 3});
BENCHMARK_CAPTURE(Transpose, keys, {8, 12, 128, 64}, {0, 1, 3, 2});
BENCHMARK_CAPTURE(Transpose, channels_last, {8, 64, 56, 56}, {0, 2, 3, 1});

void Softmax(benchmark::State& state) {
  RunCall(state, "Softmax", {.inputs = {Floats({state.range(0), state.range(1)})}});
}
BENCHMARK(Softmax)->Args({1536, 128})->Args({128, 50257});

void LayerNormalization(benchmark::State& state) {
  const int64_t size = state.range(1);
  RunCall(state,
          "LayerNormalization",
          {.inputs = {Floats({state.range(0), size}), Floats({size}), Floats({size})}});
}
BENCHMARK(LayerNormalization)->Args({128, 768})->Args({4096, 768});

void Gather(benchmark::State& state) {
  const OpExample::Input rows{.type = {ElementType::kI64, {state.range(0)}}};
  RunCall(state, "Gather", {.inputs = {Floats({50257, 768}), rows}});
}
BENCHMARK(Gather)->Arg(128)->Arg(4096);

// items_per_second: FLOP/s.
void Product(benchmark::State& state) {
  const int64_t n = state.range(1);
  RunCall(state, "MatMul", {.inputs = {Floats({state.range(0), n}), Floats({n, n})}});
}
BENCHMARK(Product)->Args({1, 768})->Args({128, 768})->Args({512, 512});

// Four elementwise nodes fused into one, as in the executor.
void ElementwiseChain(benchmark::State& state) {
  Model model;
  const Shape shape = {state.range(0), state.range(1)};
  const ValueId x = model.Input(shape);
  ValueId y = model.Call("Mul", {x, model.Weight({shape[1]})});
  y = model.Call("Add", {y, model.Weight({shape[1]})});
  y = model.Call("Relu", {model.Call("Add", {y, x})});
  model.graph().outputs = {y};
  RunOptions options;
  options.random_weights = options.random_inputs = true;
  options.warm_up = 3;
  options.iterations = 30;
  const Program program = SingleDevice(model.graph());
  for ([[maybe_unused]] auto _ : state)
    state.SetIterationTime(RunProgram(program, {}, {}, options).value().quiet_seconds);
  const int64_t bytes = 2 * 4 * shape[0] * shape[1];
  state.SetBytesProcessed(state.iterations() * bytes);
}
BENCHMARK(ElementwiseChain)->Args({128, 768})->Args({4096, 3072})->UseManualTime()->Iterations(5);

}  // namespace
}  // namespace metadist
