// SPDX-License-Identifier: Apache-2.0
// Measures the computation of one rank: copies, matrix products, every other operator with a fast
// kernel, and the slow-down when several ranks work at the same time.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "executor/device/chain_buffers.h"
#include "executor/measure/bound_kernel.h"
#include "executor/measure/measurer.h"
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

// Mean seconds of a call in one round, with all ranks working at the same time.
Result<double> RoundTogether(Transport& world, const WorkMaker& make_work) {
  using Clock = std::chrono::steady_clock;
  constexpr double kSpan = 0.008;
  const std::function<void()> work = make_work();
  work();
  TRY(world.Barrier());
  const auto start = Clock::now();
  int calls = 0;
  double spent = 0;
  do {
    work();
    ++calls;
    spent = std::chrono::duration<double>(Clock::now() - start).count();
  } while (spent < kSpan * world.size());
  const std::vector<double> seconds = TRY(world.Collect(spent / calls));
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / world.size();
}

// The minimum over several rounds, which excludes most of the interference of other programs.
Result<double> SecondsTogether(Transport& world, const WorkMaker& make_work) {
  constexpr int kRounds = 6;
  double least = TRY(RoundTogether(world, make_work));
  for (int round = 1; round < kRounds; ++round)
    least = std::min(least, TRY(RoundTogether(world, make_work)));
  return least;
}

Result<double> SecondsAlone(const WorkMaker& make_work) {
  double seconds = 0;
  TRY(MakeThreadTeam()->Work(/*wanted=*/true, 1, [&](Transport& world) -> Result<void> {
    seconds = TRY(SecondsTogether(world, make_work));
    return {};
  }));
  return seconds;
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
  const OpDef* op = FirstContraction();
  measurer.Say("several ranks at work");
  struct Kind {
    std::string factor;  // without the number of ranks
    WorkMaker work;
    double alone = 0;
  };
  std::vector<Kind> kinds = {{kSlowdownStream, [] { return CopyOf(1 << 20); }}};
  if (op != nullptr)
    kinds.insert(kinds.begin(), {kSlowdownContraction, [op]() -> std::function<void()> {
                                   const auto kernel =
                                       std::make_shared<BoundKernel>(*Product(*op, 128, 128, 128));
                                   return [kernel] { kernel->Run(); };
                                 }});
  for (int ranks : measurer.options().ranks) {
    if (ranks < 2) continue;
    bool any = false;
    for (Kind& kind : kinds) {
      if (!measurer.WantsFactor(kind.factor + std::to_string(ranks))) continue;
      any = true;
      if (kind.alone == 0) kind.alone = TRY(SecondsAlone(kind.work));
    }
    TRY(measurer.team().Work(any, ranks, [&](Transport& world) -> Result<void> {
      for (const Kind& kind : kinds) {
        const std::string factor = kind.factor + std::to_string(ranks);
        const bool wanted = world.rank() == 0 && measurer.WantsFactor(factor);
        if (TRY(world.Decide(wanted ? 1 : 0)) == 0) continue;
        const double together = TRY(SecondsTogether(world, kind.work));
        if (world.rank() == 0) measurer.AddFactor(factor, std::max(1.0, together / kind.alone));
      }
      return {};
    }));
  }
  return {};
}

}  // namespace metadist
