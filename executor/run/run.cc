// SPDX-License-Identifier: Apache-2.0
// One thread per rank. Every rank prepares its own program and then repeats it; rank 0 decides when
// to stop.
#include "executor/run/run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "executor/comm/placement.h"
#include "executor/comm/run_ranks.h"
#include "executor/comm/threads.h"
#include "executor/device/cpu_device.h"
#include "executor/host/bind_data.h"
#include "executor/run/rank_run.h"
#include "executor/run/run_report.h"
#include "executor/run/second_stream.h"

namespace metadist {
namespace {

// Stops a rank's second stream however the rank ends.
class Stopper {
 public:
  explicit Stopper(SecondStream* stream) : stream_(stream) {}
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;
  ~Stopper() {
    if (stream_ != nullptr) stream_->Stop();
  }

 private:
  SecondStream* const stream_;
};

// The outcome of a rank. Its memory outlives its thread: others may still read from a rank that has
// given up waiting.
struct RankOutcome {
  std::unique_ptr<Device> device;
  std::unique_ptr<RankProgram> program;
  RankReport report;
};

Result<void> RunRank(const SharedPlan& plan,
                     const WholeData& data,
                     const RunOptions& options,
                     Transport& world,
                     SecondStream* second,
                     RankOutcome& outcome) {
  outcome.device = MakeCpuDevice({.fuse = options.fuse});
  outcome.program =
      TRY(RankProgram::Make(plan, world, *outcome.device, SharedData(*plan.program, data), second));
  outcome.report = TRY(RepeatSteps(*outcome.program, world, options));
  return {};
}

// Whether ranks have a second stream.
bool HasSecondStream(const Program& program, const RunOptions& options) {
  const auto overlap = [](const Stage& stage) {
    return std::ranges::any_of(stage.graph.nodes, Overlaps);
  };
  if (options.streams == 1 || std::ranges::none_of(program.stages, overlap)) return false;
  return options.streams == 2 || 2 * program.ranks() <= std::ssize(AllowedCores());
}

}  // namespace

Result<RunResult> RunProgram(const Program& program,
                             const NamedTensors& weights,
                             const NamedTensors& inputs,
                             const RunOptions& options) {
  const OpTable& ops = options.ops != nullptr ? *options.ops : OpTable::BuiltIn();
  const SharedPlan plan = TRY(PlanRun(program, ops));
  const WholeData data = TRY(WholeData::Bind(program, weights, inputs, options));
  const bool two = HasSecondStream(program, options);
  const auto group =
      MakeThreadGroup(static_cast<int>(program.ranks()), options.timeout_seconds, two ? 2 : 1);
  std::vector<RankOutcome> outcomes(group.size());
  std::vector<SecondStream> seconds(two ? group.size() : 0);
  const auto work = [&](Transport& world) {
    const size_t rank = static_cast<size_t>(world.rank());
    SecondStream* const second = two ? &seconds[rank] : nullptr;
    const Stopper stopper(second);
    return RunRank(plan, data, options, world, second, outcomes[rank]);
  };
  const auto serve = [&](int rank) { seconds[static_cast<size_t>(rank)].Serve(); };
  TRY(RunRanks(group, work, two ? serve : std::function<void(int)>()));
  std::vector<RankReport> reports;
  for (RankOutcome& outcome : outcomes) reports.push_back(std::move(outcome.report));
  return ReportRun(program, std::move(reports), options);
}

}  // namespace metadist
