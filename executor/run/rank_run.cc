// SPDX-License-Identifier: Apache-2.0
#include "executor/run/rank_run.h"

#include <chrono>

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxTimedSteps = 4096;  // steps whose times are kept

enum class Next : int64_t { kStep, kStop, kInterrupted };

// Decides on rank 0 what all ranks do next, before each step.
class Leader {
 public:
  explicit Leader(const RunOptions& options) : options_(options) {}

  Next Decide(int done) {
    if (options_.interrupted != nullptr && *options_.interrupted) return Next::kInterrupted;
    if (done == options_.warm_up) measured_since_ = Clock::now();
    if (done < options_.warm_up + options_.iterations) return Next::kStep;
    const std::chrono::duration<double> spent = Clock::now() - measured_since_;
    return spent.count() < options_.min_seconds ? Next::kStep : Next::kStop;
  }

 private:
  const RunOptions& options_;
  Clock::time_point measured_since_ = Clock::now();
};

Result<void> Watch(const RankProgram& program, RankReport& report) {
  const std::vector<OutputParts> outputs = TRY(program.Scalars());
  report.scalars.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    double sum = 0;
    for (const Tensor& part : outputs[i].parts) sum += part.ToDoubles()[0];
    ScalarSeries& series = report.scalars[i];
    series.stage = outputs[i].stage;
    series.position = static_cast<int64_t>(outputs[i].position);
    series.values.push_back(sum / static_cast<double>(outputs[i].parts.size()));
  }
  return {};
}

}  // namespace

DataMaker SharedData(const Program& program, const WholeData& data) {
  return [&](int stage, Transport& ranks) -> LocalData {
    return [&program, &data, stage, &ranks](ValueId value) -> Result<std::vector<Tensor>> {
      const Tensor whole = TRY(data.Take(stage, value, ranks));
      return LocalParts(program, stage, value, ranks.rank(), whole);
    };
  };
}

std::vector<Tensor> LocalParts(
    const Program& program, int stage, ValueId value, int64_t rank, const Tensor& whole) {
  if (!whole.has_data()) return {};
  const Stage& of = program.stages[static_cast<size_t>(stage)];
  const Value& named = of.graph.value(value);
  const bool batched = named.kind == ValueKind::kInput && program.IsBatched(named.name);
  const int64_t count = batched ? program.micro_batches() : 1;
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i) {
    TensorType type = whole.type();
    if (batched) type.shape[0] /= count;
    const Tensor part =
        count == 1 ? whole : Tensor::Mapped(type, nullptr, whole.bytes() + i * type.bytes());
    const bool cut = !of.ShardingOf(value).CuttingAxes().empty();
    if (cut)
      parts.push_back(SliceLocal(part, of.ShardingOf(value), of.mesh, rank));
    else
      parts.push_back(count == 1 ? part : part.Clone());
  }
  return parts;
}

Result<RankReport> RepeatSteps(RankProgram& program, Transport& world, const RunOptions& options) {
  RankReport report;
  report.site = ThisSite();
  Leader leader(options);
  for (int done = 0;; ++done) {
    const Next mine = world.rank() == 0 ? leader.Decide(done) : Next::kStep;
    const Next next = static_cast<Next>(TRY(world.Decide(static_cast<int64_t>(mine))));
    if (next == Next::kInterrupted)
      return Error{.code = ErrorCode::kInterrupted, .message = "interrupted while running"};
    if (next == Next::kStop) break;
    TRY(program.Step());
    if (options.watch) TRY(Watch(program, report));
    if (done >= options.warm_up && report.steps.size() < kMaxTimedSteps)
      report.steps.push_back(TRY(program.TimesOfStep()));
  }
  report.calls = program.calls();
  report.memory = program.memory();
  report.outputs = TRY(program.Outputs());
  return report;
}

}  // namespace metadist
