// SPDX-License-Identifier: Apache-2.0
//
// Rows for a model's own calls.
//
// Problem: grids of products and copies do not predict a convolution of unusual shape, a slice, or
// a transpose that the executor fuses into the following product. The time of a call in its program
// is known only when that program runs.
//
// Method: plan, run, record each node's undisturbed time for its call, and plan again with these
// rows, because a plan made from estimates may prefer calls that were merely underestimated. Every
// round leaves fewer such calls, until a plan of known calls takes its predicted time, or has been
// measured kSettled times, or the time limit is reached. A node that the executor skips (a view, a
// fused transpose) gets a row of almost zero; calls that occur several times get their mean.
// Complexity: rounds x (planning + running) for each number of ranks, at most kSeconds.
#include "cli/model_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>

#include "cli/planning.h"
#include "executor/measure/measure.h"
#include "executor/run/process_run.h"
#include "executor/run/run.h"
#include "planner/rules/book/rule_book.h"
#include "planner/simulate/simulate.h"

namespace metadist::cli {
namespace {

constexpr double kSeconds = 45;  // all rounds for one number of ranks
constexpr double kClose = 0.03;  // allowed difference of a plan from the measured step
constexpr int kSettled = 3;      // rounds without a new call
constexpr double kRunSeconds = 0.5;
constexpr double kPlanSeconds = 20;
constexpr double kLeastMicros = 1e-4;  // for a node that does not run

using Clock = std::chrono::steady_clock;

class ModelMeasurer {
 public:
  // run_ops: operators for running the programs.
  ModelMeasurer(Session& session,
                const LoadedModel& model,
                const OpTable& run_ops,
                Profile& profile)
      : session_(session),
        graph_(model.imported.graph),
        ops_(*model.ops),
        run_ops_(run_ops),
        profile_(profile),
        rules_(ops_, {.seed = 0}, session.thread_count()) {}

  struct Outcome {
    bool known = false;  // every call of the plan had a row
    bool close = false;  // the step took the predicted time
  };
  Result<Outcome> Round(int ranks);

 private:
  Result<Plan> BestPlan(int ranks);
  void Book(const std::vector<std::string>& calls, const RunResult& run, int ranks);

  Session& session_;
  const Graph& graph_;
  const OpTable& ops_;
  const OpTable& run_ops_;
  Profile& profile_;
  RuleBook rules_;
};

Result<Plan> ModelMeasurer::BestPlan(int ranks) {
  PlanRequest request;
  request.graph = &graph_;
  request.ops = &ops_;
  request.rules = &rules_;
  request.cluster = MakeCluster(
      fmt::format("cpu:{}", ranks), std::make_shared<const Profile>(profile_), 1, ranks);
  request.time_limit_seconds = kPlanSeconds;
  request.seed = session_.seed;
  request.threads = session_.thread_count();
  request.alternatives = false;
  request.interrupted = &Session::interrupted();
  return std::move(TRY(MakePlan(request)).plan);
}

void ModelMeasurer::Book(const std::vector<std::string>& calls, const RunResult& run, int ranks) {
  std::vector<double> micros(calls.size(), kLeastMicros);
  for (const NodeTime& node : run.nodes) {
    if (node.node == kNone) continue;  // moves data of the step
    // The nodes of a chain share its time equally.
    const double each = node.quiet_seconds * 1e6 / static_cast<double>(1 + node.others.size());
    micros[static_cast<size_t>(node.node)] = std::max(kLeastMicros, each);
    for (NodeId other : node.others)
      micros[static_cast<size_t>(other)] = std::max(kLeastMicros, each);
  }
  std::map<std::string, std::pair<double, int64_t>> sums;
  for (size_t n = 0; n < calls.size(); ++n) {
    if (calls[n].empty()) continue;
    sums[calls[n]].first += micros[n];
    ++sums[calls[n]].second;
  }
  for (const auto& [call, sum] : sums) {
    Sample& sample = profile_.calls[call][ranks];
    sample = {};
    sample.time_us = sum.first / static_cast<double>(sum.second);
    sample.samples = static_cast<int64_t>(run.step_seconds.size()) * sum.second;
    sample.origin = kMeasuredHere;
  }
}

Result<ModelMeasurer::Outcome> ModelMeasurer::Round(int ranks) {
  const Plan plan = TRY(BestPlan(ranks));
  const Program program = TRY(LowerWithData(plan, graph_));
  const std::vector<std::string> calls = CallsOf(program, ops_);
  Outcome outcome;
  outcome.known = std::all_of(calls.begin(), calls.end(), [&](const std::string& call) {
    const auto rows = profile_.calls.find(call);
    return call.empty() || (rows != profile_.calls.end() && rows->second.count(ranks) > 0);
  });
  RunOptions options;
  options.warm_up = 2;
  options.iterations = 5;
  options.min_seconds = kRunSeconds;
  options.random_weights = true;
  options.random_inputs = true;
  options.seed = session_.seed;
  options.interrupted = &Session::interrupted();
  options.ops = &run_ops_;
  const RunResult run = TRY(session_.processes != nullptr
                                ? RunOnProcesses(*session_.processes, program, {}, {}, options)
                                : RunProgram(program, {}, {}, options));
  Book(calls, run, ranks);
  const double off = std::abs(plan.prediction.step.seconds - run.quiet_seconds);
  outcome.close = off <= kClose * run.quiet_seconds;
  return outcome;
}

}  // namespace

Result<void> MeasureModel(Session& session,
                          const LoadedModel& model,
                          const std::vector<int>& ranks,
                          Profile& profile,
                          const std::function<bool()>& due,
                          const std::function<void(const Profile&)>& row_done) {
  const auto run_ops = TRY(OperatorsToRun(model.op_libraries));
  ModelMeasurer measurer(session, model, *run_ops, profile);
  for (int count : ranks) {
    const auto start = Clock::now();
    int settled = 0;
    while (!due() && settled < kSettled &&
           Clock::now() - start < std::chrono::duration<double>(kSeconds)) {
      session.console.Step(fmt::format("calls of the model on {} ranks", count));
      const auto outcome = TRY(measurer.Round(count));
      if (row_done) row_done(profile);
      if (outcome.known && outcome.close) break;
      settled += outcome.known ? 1 : 0;
    }
  }
  return {};
}

}  // namespace metadist::cli
