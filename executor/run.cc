// SPDX-License-Identifier: Apache-2.0
// One thread a rank. Every rank prepares its own program and then repeats it; rank 0 decides when
// to stop. A rank that fails aborts the group, which wakes all others.
#include "executor/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <numeric>
#include <set>
#include <thread>

#include "executor/bind_data.h"
#include "executor/comm/placement.h"
#include "executor/comm/threads.h"
#include "executor/rank_program.h"
#include "executor/stopwatch.h"
#include "metair/ir/parallel.h"

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxTimedSteps = 4096;  // whose node times are kept

// What one rank saw in one step: when it began, and when each node ended.
struct StepTimes {
  Clock::time_point start;
  std::vector<Clock::time_point> ends;
};

// What a rank leaves behind. Its program outlives its thread: outputs are read from it.
struct RankOutcome {
  std::unique_ptr<Communicator> world;
  std::unique_ptr<RankProgram> program;
  std::vector<StepTimes> steps;  // measured ones
  Result<void> status;
  bool failed_itself = false;  // not because another rank did
};

class Runner {
 public:
  Runner(const SharedPlan& plan, const RunOptions& options) : plan_(plan), options_(options) {}

  Result<std::vector<RankOutcome>> Run();
  bool interrupted() const { return interrupted_; }

 private:
  Result<void> RunRank(RankOutcome& outcome);
  Result<void> Repeat(RankOutcome& outcome);
  bool Enough(int done, Clock::time_point measured_since) const;
  std::string NodeText(NodeId id) const;

  const SharedPlan& plan_;
  const RunOptions& options_;
  // Written by rank 0 between steps, read by all after the meeting that follows.
  // Of even and odd rounds: the leader decides the next round while others still read this one's.
  std::array<std::atomic<bool>, 2> stop_ = {false, false};
  std::atomic<bool> interrupted_ = false;
};

Result<std::vector<RankOutcome>> Runner::Run() {
  const int ranks = static_cast<int>(plan_.program->mesh.ranks());
  auto group = MakeThreadGroup(ranks, {options_.timeout_seconds});
  std::vector<RankOutcome> outcomes(static_cast<size_t>(ranks));
  for (size_t rank = 0; rank < outcomes.size(); ++rank)
    outcomes[rank].world = std::move(group[rank]);
  TRY(RunAtOnce(outcomes.size(),
                [&](size_t rank) { outcomes[rank].status = RunRank(outcomes[rank]); }));
  return outcomes;
}

Result<void> Runner::RunRank(RankOutcome& outcome) {
  cpu::UseOneThread();
  PlaceRank(outcome.world->rank(), outcome.world->size());
  const auto run = [&]() -> Result<void> {
    try {
      outcome.program = TRY(RankProgram::Make(plan_, *outcome.world));
      return Repeat(outcome);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kDevice, "", "out of memory", "", {}};
    }
  };
  Result<void> status = run();
  if (!status.ok()) outcome.failed_itself = outcome.world->Abort(status.error());
  return status;
}

bool Runner::Enough(int done, Clock::time_point measured_since) const {
  if (done < options_.warm_up + options_.iterations) return false;
  return SecondsBetween(measured_since, Clock::now()) >= options_.min_seconds;
}

std::string Runner::NodeText(NodeId id) const {
  const Node& node = plan_.program->stages[0].graph.node(id);
  return fmt::format("node '{}' ({})", node.name, node.op);
}

Result<void> Runner::Repeat(RankOutcome& outcome) {
  RankProgram& program = *outcome.program;
  const bool leads = outcome.world->rank() == 0;
  StepTimes times;
  times.ends.resize(program.steps().size());
  Clock::time_point measured_since = Clock::now();
  for (int done = 0;; ++done) {
    if (leads) {
      if (done == options_.warm_up) measured_since = Clock::now();
      interrupted_ = options_.interrupted != nullptr && *options_.interrupted;
      stop_[done % 2] = interrupted_ || Enough(done, measured_since);
    }
    TRY(outcome.world->Barrier());
    if (stop_[done % 2]) return {};
    times.start = Clock::now();
    for (size_t i = 0; i < program.steps().size(); ++i) {
      auto ran = program.Run(program.steps()[i]);
      if (!ran.ok()) return std::move(ran).error().in(NodeText(program.steps()[i].node));
      times.ends[i] = Clock::now();
    }
    if (done >= options_.warm_up && outcome.steps.size() < kMaxTimedSteps)
      outcome.steps.push_back(times);
  }
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

// Seconds of steps [from, to) of a rank's program in one round.
double StepsSeconds(const StepTimes& times, size_t from, size_t to) {
  if (from == to) return 0;
  return SecondsBetween(from == 0 ? times.start : times.ends[from - 1], times.ends[to - 1]);
}

// The tenth of the steps that took least, at least one.
std::vector<size_t> QuietSteps(const std::vector<double>& step_seconds) {
  std::vector<size_t> order(step_seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return step_seconds[a] < step_seconds[b];
  });
  order.resize((order.size() + 9) / 10);
  return order;
}

// By step of rank 0: which steps [from, to) of each rank are the same part of the program. Ranks
// differ in the views of arrays that are empty on some, and in their chains.
using StepRanges = std::vector<std::vector<std::pair<size_t, size_t>>>;

StepRanges MatchSteps(const std::vector<RankOutcome>& outcomes) {
  const std::vector<RankStep>& steps = outcomes[0].program->steps();
  StepRanges ranges(steps.size());
  std::vector<size_t> next(outcomes.size(), 0);
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    for (size_t rank = 0; rank < outcomes.size(); ++rank) {
      const std::vector<RankStep>& own = outcomes[rank].program->steps();
      const size_t from = next[rank];
      size_t& to = next[rank];
      while (to < own.size() && (last || own[to].node < steps[i + 1].node)) ++to;
      ranges[i].emplace_back(from, to);
    }
  }
  return ranges;
}

// What a node takes a rank, of its times on the ranks that run it.
double OwnSeconds(const std::vector<double>& by_rank, size_t ranks) {
  if (ranks > std::thread::hardware_concurrency())
    return *std::min_element(by_rank.begin(), by_rank.end());
  return std::accumulate(by_rank.begin(), by_rank.end(), 0.0) / static_cast<double>(by_rank.size());
}

void ReportQuietTimes(const std::vector<RankOutcome>& outcomes,
                      const StepRanges& ranges,
                      RunResult& result) {
  const std::vector<size_t> quiet = QuietSteps(result.step_seconds);
  const double share = quiet.empty() ? 0 : 1 / static_cast<double>(quiet.size());
  for (size_t s : quiet) {
    result.quiet_seconds += share * result.step_seconds[s];
    for (size_t i = 0; i < result.nodes.size(); ++i) {
      std::vector<double> by_rank;
      for (size_t rank = 0; rank < outcomes.size(); ++rank) {
        const auto [from, to] = ranges[i][rank];
        if (from < to) by_rank.push_back(StepsSeconds(outcomes[rank].steps[s], from, to));
      }
      result.nodes[i].quiet_seconds += share * OwnSeconds(by_rank, outcomes.size());
    }
  }
}

void ReportTimes(const std::vector<RankOutcome>& outcomes, RunResult& result) {
  const size_t rounds = outcomes[0].steps.size();
  for (size_t s = 0; s < rounds; ++s) {
    Clock::time_point first = outcomes[0].steps[s].start;
    Clock::time_point last = first;
    for (const RankOutcome& outcome : outcomes) {
      const StepTimes& times = outcome.steps[s];
      first = std::min(first, times.start);
      last = std::max(last, times.ends.empty() ? times.start : times.ends.back());
    }
    result.step_seconds.push_back(SecondsBetween(first, last));
  }
  result.median_seconds = Quantile(result.step_seconds, 0.5);
  result.p10_seconds = Quantile(result.step_seconds, 0.1);
  result.p90_seconds = Quantile(result.step_seconds, 0.9);

  const std::vector<RankStep>& steps = outcomes[0].program->steps();
  const StepRanges ranges = MatchSteps(outcomes);
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<double> slowest(rounds, 0);
    for (size_t rank = 0; rank < outcomes.size(); ++rank)
      for (size_t s = 0; s < rounds; ++s)
        slowest[s] = std::max(
            slowest[s],
            StepsSeconds(outcomes[rank].steps[s], ranges[i][rank].first, ranges[i][rank].second));
    result.nodes.push_back(
        {steps[i].node, steps[i].others, steps[i].kernel, Quantile(std::move(slowest), 0.5), 0});
  }
  ReportQuietTimes(outcomes, ranges, result);
}

void ReportTrace(const std::vector<RankOutcome>& outcomes, RunResult& result) {
  if (outcomes[0].steps.empty()) return;
  Clock::time_point first = outcomes[0].steps.back().start;
  for (const RankOutcome& outcome : outcomes) first = std::min(first, outcome.steps.back().start);
  for (size_t rank = 0; rank < outcomes.size(); ++rank) {
    const StepTimes& times = outcomes[rank].steps.back();
    const std::vector<RankStep>& steps = outcomes[rank].program->steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const double seconds = StepsSeconds(times, i, i + 1);
      result.events.push_back({static_cast<int64_t>(rank),
                               steps[i].node,
                               steps[i].others,
                               steps[i].transfers(),
                               SecondsBetween(first, times.ends[i]) - seconds,
                               seconds});
    }
  }
}

void ReportMemory(const std::vector<RankOutcome>& outcomes, RunResult& result) {
  for (const RankOutcome& outcome : outcomes) {
    result.memory.push_back(outcome.program->memory());
    result.peak_bytes = std::max(result.peak_bytes, result.memory.back().peak());
  }
  std::set<std::string> slow;
  for (const RankStep& step : outcomes[0].program->steps())
    if (step.kernel.ends_with("/reference"))
      slow.insert(step.kernel.substr(0, step.kernel.find('/')));
  result.reference_ops.assign(slow.begin(), slow.end());
}

void ReportCollectives(const Program& program, RunResult& result) {
  const Stage& stage = program.stages[0];
  for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
    const auto kind = CollectiveOf(stage.graph.nodes[n]);
    if (!kind || *kind == CollectiveKind::kSlice || *kind == CollectiveKind::kPartial ||
        *kind == CollectiveKind::kSpare)
      continue;
    const CollectiveStep step = StepOf(stage, program.mesh, static_cast<NodeId>(n));
    const TensorType& type = MovedType(stage, static_cast<NodeId>(n));
    CollectiveCount& count = result.collectives[std::string(Name(*kind))];
    ++count.count;
    count.bytes += ReceivedBytes(step, type, program.mesh);
  }
}

void AssembleOutputs(const Program& program,
                     const std::vector<RankOutcome>& outcomes,
                     RunResult& result) {
  const Stage& stage = program.stages[0];
  for (size_t i = 0; i < stage.graph.outputs.size(); ++i) {
    const ValueId id = stage.graph.outputs[i];
    const Value& value = stage.graph.value(id);
    Tensor whole = Tensor::Zeros(value.type);
    for (size_t rank = 0; rank < outcomes.size(); ++rank)
      PlaceLocal(outcomes[rank].program->Local(id),
                 stage.shardings[static_cast<size_t>(id)],
                 program.mesh,
                 static_cast<int64_t>(rank),
                 whole);
    result.outputs.emplace_back(stage.NameOfOutput(i), std::move(whole));
  }
}

Result<void> CheckProgram(const Program& program, const OpTable& ops) {
  if (program.stages.size() != 1) return Internal("programs of several stages are not run");
  const Stage& stage = program.stages[0];
  if (static_cast<int64_t>(stage.ranks.size()) != program.mesh.ranks())
    return Internal("the stage does not use every rank");
  std::vector<Error> problems;
  for (const Value& value : stage.graph.values)
    if (!IsKnown(value.type.shape))
      problems.push_back(BadInput("value '" + value.name + "'",
                                  "sizes must be known before running, got " + TypeText(value.type),
                                  "such models can be planned, but not run"));
  for (const Node& node : stage.graph.nodes)
    if (!CollectiveOf(node) && ops.Find(node) == nullptr)
      problems.push_back(BadInput(fmt::format("node '{}' ({})", node.name, node.op),
                                  "the operator must have a kernel to run, got one that is unknown",
                                  "such models can be planned, but not run"));
  for (ValueId id : stage.graph.outputs)
    if (!stage.shardings[static_cast<size_t>(id)].partial.empty())
      problems.push_back(Internal("output '" + stage.graph.value(id).name + "' is a partial sum"));
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace

Result<RunResult> RunProgram(const Program& program,
                             const NamedTensors& weights,
                             const NamedTensors& inputs,
                             const RunOptions& options) {
  SharedPlan plan;
  plan.program = &program;
  plan.chains = options.chains;
  plan.ops = options.ops != nullptr ? options.ops : &OpTable::BuiltIn();
  TRY(CheckProgram(program, *plan.ops));
  plan.data = TRY(WholeData::Bind(program.stages[0].graph, weights, inputs, options));
  plan.transfers = TRY(PlanAllTransfers(program));

  Runner runner(plan, options);
  const std::vector<RankOutcome> outcomes = TRY(runner.Run());
  for (const bool itself : {true, false})
    for (size_t rank = 0; rank < outcomes.size(); ++rank) {
      const RankOutcome& outcome = outcomes[rank];
      if (outcome.status.ok() || outcome.failed_itself != itself) continue;
      Error error = outcome.status.error();
      return std::move(error).in(fmt::format("rank {}", rank));
    }
  if (runner.interrupted())
    return Error{ErrorCode::kInterrupted, "", "interrupted while running", "", {}};

  RunResult result;
  ReportTimes(outcomes, result);
  if (options.trace) ReportTrace(outcomes, result);
  ReportMemory(outcomes, result);
  ReportCollectives(program, result);
  AssembleOutputs(program, outcomes, result);
  return result;
}

}  // namespace metadist
