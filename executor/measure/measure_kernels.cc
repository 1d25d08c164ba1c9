// SPDX-License-Identifier: Apache-2.0
// Measures the computation of one rank: copies, matrix products, every other operator with a fast
// kernel, and the slow-down when several ranks work at the same time.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "executor/comm/placement.h"
#include "executor/comm/threads.h"
#include "executor/device/chain_buffers.h"
#include "executor/measure/bound_kernel.h"
#include "executor/measure/measurer.h"
#include "metair/ir/parallel.h"
#include "metair/ops/op_table.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

std::vector<int64_t> Powers(int64_t from, int64_t to, int64_t step) {
  std::vector<int64_t> values;
  for (int64_t x = from; x <= to; x *= step) values.push_back(x);
  return values;
}

std::optional<BoundKernel> Product(const OpDef& op, int64_t m, int64_t n, int64_t k) {
  return BoundKernel::Make(op, {{ElementType::kF32, {m, k}}, {ElementType::kF32, {k, n}}});
}

using WorkMaker = std::function<std::function<void()>()>;

// Mean seconds of a call in one round, with `ranks` threads working at the same time.
Result<double> RoundTogether(int ranks, const WorkMaker& make_work) {
  using Clock = std::chrono::steady_clock;
  constexpr double kSpan = 0.008;
  auto group = MakeThreadGroup(ranks);
  std::vector<double> seconds(static_cast<size_t>(ranks));
  TRY(RunAtOnce(group.size(), [&](size_t r) {
    cpu::UseOneThread();
    PlaceRank(static_cast<int>(r), ranks);
    const std::function<void()> work = make_work();
    work();
    if (!group[r]->Barrier().ok()) return;
    const auto start = Clock::now();
    int calls = 0;
    double spent = 0;
    do {
      work();
      ++calls;
      spent = std::chrono::duration<double>(Clock::now() - start).count();
    } while (spent < kSpan * ranks);
    seconds[r] = spent / calls;
  }));
  double sum = 0;
  for (double s : seconds) sum += s;
  return sum / ranks;
}

// The minimum over several rounds, which excludes most of the interference of other programs.
Result<double> SecondsTogether(int ranks, const WorkMaker& make_work) {
  constexpr int kRounds = 6;
  double least = TRY(RoundTogether(ranks, make_work));
  for (int round = 1; round < kRounds; ++round)
    least = std::min(least, TRY(RoundTogether(ranks, make_work)));
  return least;
}

std::function<void()> CopyOf(int64_t bytes) {
  const auto memory = std::make_shared<std::pair<std::vector<char>, std::vector<char>>>(
      std::vector<char>(static_cast<size_t>(bytes), 1),
      std::vector<char>(static_cast<size_t>(bytes)));
  return [memory] {
    std::memcpy(memory->second.data(), memory->first.data(), memory->first.size());
    asm volatile("" : : "r"(memory->second.data()) : "memory");
  };
}

}  // namespace

void MeasureStream(Measurer& measurer) {
  measurer.Say("copies");
  const int64_t largest = measurer.options().quick ? int64_t{1} << 24 : int64_t{1} << 27;
  Series& series = measurer.profile().stream;
  for (int64_t bytes : Powers(512, largest, measurer.options().quick ? 8 : 4))
    if (measurer.Wants(series, bytes))
      measurer.Add(series, bytes, Measure(CopyOf(bytes / 2), measurer.rule(), kMeasuredHere));
}

void MeasureContractions(Measurer& measurer) {
  const OpDef* op = FirstContraction();
  if (op == nullptr) return;
  measurer.Say("matrix products");
  const bool quick = measurer.options().quick;
  const auto rows = quick ? std::vector<int64_t>{1, 16, 128, 512} : Powers(1, 2048, 4);
  const auto sizes = quick ? std::vector<int64_t>{16, 64, 256, 1024} : Powers(16, 4096, 4);
  for (int64_t n : sizes)
    for (int64_t k : sizes)
      for (int64_t m : rows) {
        if (measurer.stopped()) return;
        Series& series = measurer.profile().contractions[{"f32", 1, n, k}];
        if (!measurer.Wants(series, m)) continue;
        const auto kernel = Product(*op, m, n, k);
        if (kernel)
          measurer.Add(series, m, Measure([&] { kernel->Run(); }, measurer.rule(), kMeasuredHere));
      }
}

void MeasureKernels(Measurer& measurer) {
  measurer.Say("other kernels");
  const auto rows = measurer.options().quick
                        ? std::vector<int64_t>{4, 64, 256, 1024, 2048, 4096}
                        : std::vector<int64_t>{1, 16, 64, 256, 1024, 2048, 4096, 65536};
  double rate = 0;
  for (const cpu::KernelRow& row : cpu::KernelTable()) {
    const OpDef* op = OpTable::BuiltIn().Find("", row.op);
    if (op == nullptr) continue;
    for (int64_t count : rows) {
      if (measurer.stopped()) return;
      const auto kernel = ElementwiseKernel(*op, count, 64);
      if (!kernel) break;
      Series& series = measurer.profile().kernels[{row.op, "f32"}];
      const int64_t bytes = kernel->work().bytes;
      if (measurer.Wants(series, bytes))
        measurer.Add(
            series, bytes, Measure([&] { kernel->Run(); }, measurer.rule(), kMeasuredHere));
      const auto sample = series.find(bytes);
      if (sample != series.end())
        rate = std::max(
            rate, static_cast<double>(kernel->work().flops) / (sample->second.time_us * 1e-6));
    }
  }
  std::erase_if(measurer.profile().kernels, [](const auto& entry) { return entry.second.empty(); });
  if (rate > 0) measurer.profile().device.vector_flops_per_second["f32"] = rate;
  if (measurer.WantsFactor(kFusedBlockElements))
    measurer.AddFactor(kFusedBlockElements, static_cast<double>(kChainBlock));
  if (!measurer.WantsFactor(kLaunchSeconds)) return;
  // The executor's overhead for each node: a call through a stored function, and a reading of the
  // clock.
  const std::function<void()> empty = [] { std::chrono::steady_clock::now(); };
  const Sample node = Measure([&] { empty(); }, measurer.rule(), kMeasuredHere);
  measurer.AddFactor(kLaunchSeconds, node.time_us * 1e-6);
}

Result<void> MeasureSlowdown(Measurer& measurer) {
  if (measurer.stopped()) return {};
  const OpDef* op = FirstContraction();
  measurer.Say("several ranks at work");
  const auto product = [op]() -> std::function<void()> {
    const auto kernel = std::make_shared<BoundKernel>(*Product(*op, 128, 128, 128));
    return [kernel] { kernel->Run(); };
  };
  const auto copy = [] { return CopyOf(1 << 20); };
  double product_alone = 0;
  double copy_alone = 0;
  for (int ranks : measurer.options().ranks) {
    if (ranks < 2) continue;
    const std::string contraction = kSlowdownContraction + std::to_string(ranks);
    if (op != nullptr && measurer.WantsFactor(contraction)) {
      if (product_alone == 0) product_alone = TRY(SecondsTogether(1, product));
      measurer.AddFactor(contraction,
                         std::max(1.0, TRY(SecondsTogether(ranks, product)) / product_alone));
    }
    const std::string stream = kSlowdownStream + std::to_string(ranks);
    if (measurer.WantsFactor(stream)) {
      if (copy_alone == 0) copy_alone = TRY(SecondsTogether(1, copy));
      measurer.AddFactor(stream, std::max(1.0, TRY(SecondsTogether(ranks, copy)) / copy_alone));
    }
  }
  return {};
}

}  // namespace metadist
