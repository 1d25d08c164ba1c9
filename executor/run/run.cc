// SPDX-License-Identifier: Apache-2.0
// One thread per rank. Every rank prepares its own program and then repeats it; rank 0 decides when
// to stop.
#include "executor/run/run.h"

#include <memory>
#include <utility>

#include "executor/comm/run_ranks.h"
#include "executor/comm/threads.h"
#include "executor/device/cpu_device.h"
#include "executor/host/bind_data.h"
#include "executor/run/rank_run.h"
#include "executor/run/run_report.h"

namespace metadist {
namespace {

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
                     RankOutcome& outcome) {
  outcome.device = MakeCpuDevice({.fuse = options.fuse});
  outcome.program =
      TRY(RankProgram::Make(plan, world, *outcome.device, SharedData(*plan.program, data)));
  outcome.report = TRY(RepeatSteps(*outcome.program, world, options));
  return {};
}

}  // namespace

Result<RunResult> RunProgram(const Program& program,
                             const NamedTensors& weights,
                             const NamedTensors& inputs,
                             const RunOptions& options) {
  const OpTable& ops = options.ops != nullptr ? *options.ops : OpTable::BuiltIn();
  const SharedPlan plan = TRY(PlanRun(program, ops));
  const WholeData data = TRY(WholeData::Bind(program, weights, inputs, options));
  const auto group = MakeThreadGroup(static_cast<int>(program.ranks()), options.timeout_seconds);
  std::vector<RankOutcome> outcomes(group.size());
  TRY(RunRanks(group, [&](Transport& world) {
    return RunRank(plan, data, options, world, outcomes[static_cast<size_t>(world.rank())]);
  }));
  std::vector<RankReport> reports;
  for (RankOutcome& outcome : outcomes) reports.push_back(std::move(outcome.report));
  return ReportRun(program, std::move(reports), options);
}

}  // namespace metadist
