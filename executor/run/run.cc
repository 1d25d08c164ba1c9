// SPDX-License-Identifier: Apache-2.0
// One thread per rank. Every rank prepares its own program and then repeats it; rank 0 decides when
// to stop. A rank that fails aborts the group, which wakes all others.
#include "executor/run/run.h"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <utility>

#include "executor/comm/placement.h"
#include "executor/comm/threads.h"
#include "executor/cpu/kernel.h"
#include "executor/device/cpu_device.h"
#include "executor/host/bind_data.h"
#include "executor/run/rank_run.h"
#include "executor/run/run_report.h"
#include "metair/ir/parallel.h"

namespace metadist {
namespace {

// The outcome of a rank. Its memory outlives its thread: others may still read from a rank that has
// given up waiting.
struct RankOutcome {
  std::unique_ptr<Device> device;
  std::unique_ptr<RankProgram> program;
  RankReport report;
  Result<void> status;
  bool failed_itself = false;  // not because of another rank
};

Result<void> RunRank(const SharedPlan& plan,
                     const WholeData& data,
                     const RunOptions& options,
                     Transport& world,
                     RankOutcome& outcome) {
  cpu::UseOneThread();
  PlaceRank(world.rank(), world.size());
  try {
    outcome.device = MakeCpuDevice({.fuse = options.fuse});
    outcome.program =
        TRY(RankProgram::Make(plan, world, *outcome.device, SharedData(*plan.program, data)));
    outcome.report = TRY(RepeatSteps(*outcome.program, world, options));
    return {};
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kDevice, "", "out of memory", "", {}};
  }
}

// The error of the rank that failed by itself, else of the first failed rank.
Result<void> StatusOf(const std::vector<RankOutcome>& outcomes) {
  for (const bool itself : {true, false})
    for (size_t rank = 0; rank < outcomes.size(); ++rank) {
      const RankOutcome& outcome = outcomes[rank];
      if (outcome.status.ok() || outcome.failed_itself != itself) continue;
      Error error = outcome.status.error();
      if (error.code == ErrorCode::kInterrupted) return error;
      return std::move(error).in(fmt::format("rank {}", rank));
    }
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
  const auto group = MakeThreadGroup(static_cast<int>(program.ranks()), {options.timeout_seconds});
  std::vector<RankOutcome> outcomes(group.size());
  TRY(RunAtOnce(outcomes.size(), [&](size_t rank) {
    RankOutcome& outcome = outcomes[rank];
    outcome.status = RunRank(plan, data, options, *group[rank], outcome);
    if (!outcome.status.ok()) outcome.failed_itself = group[rank]->Abort(outcome.status.error());
  }));
  TRY(StatusOf(outcomes));
  std::vector<RankReport> reports;
  for (RankOutcome& outcome : outcomes) reports.push_back(std::move(outcome.report));
  return ReportRun(program, std::move(reports), options);
}

}  // namespace metadist
