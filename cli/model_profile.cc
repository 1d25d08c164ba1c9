// SPDX-License-Identifier: Apache-2.0
//
// A profile's rows of a model's own calls.
//
// Problem: grids of products and copies say little about a convolution of odd shape, a slice, or a
// transpose that the executor folds into the product behind it. What a call takes in its program is
// known only when that program runs.
//
// Taken: plan, run, book each node's quiet time under its call, and plan again with these rows,
// since a plan made from estimates may have preferred calls that were merely underestimated. The
// plan's calls are all measured after a few rounds. A node that the executor leaves out (a
// view, a folded transpose) gets a row of next to nothing; calls that occur several times get their
// mean. Complexity: rounds x (planning + half a second of running) for each number of ranks.
#include "cli/model_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/planning.h"
#include "executor/measure.h"
#include "executor/run.h"
#include "planner/rules/rule_book.h"
#include "planner/simulate/simulate.h"

namespace metadist::cli {
namespace {

constexpr int kMostRounds = 8;
constexpr double kRunSeconds = 0.5;
constexpr double kPlanSeconds = 20;
constexpr double kLeastMicros = 1e-4;  // of a node that does not run

class ModelMeasurer {
 public:
  ModelMeasurer(Session& session, const Graph& graph, Profile& profile)
      : session_(session),
        graph_(graph),
        profile_(profile),
        rules_(OpTable::BuiltIn(), {.seed = 0}, session.thread_count()) {}

  // Whether the plan's calls had rows already.
  Result<bool> Round(int ranks);

 private:
  Result<Program> Planned(int ranks);
  void Book(const std::vector<std::string>& calls, const RunResult& run, int ranks);

  Session& session_;
  const Graph& graph_;
  Profile& profile_;
  RuleBook rules_;
};

Result<Program> ModelMeasurer::Planned(int ranks) {
  PlanRequest request;
  request.graph = &graph_;
  request.ops = &OpTable::BuiltIn();
  request.rules = &rules_;
  request.cluster = MakeCluster(
      fmt::format("cpu:{}", ranks), std::make_shared<const Profile>(profile_), 1, ranks);
  request.time_limit_seconds = kPlanSeconds;
  request.seed = session_.seed;
  request.threads = session_.thread_count();
  request.alternatives = false;
  request.interrupted = &Session::interrupted();
  const ::metadist::Planned planned = TRY(MakePlan(request));
  return LowerWithData(planned.plan, graph_);
}

void ModelMeasurer::Book(const std::vector<std::string>& calls, const RunResult& run, int ranks) {
  std::vector<double> micros(calls.size(), kLeastMicros);
  for (const NodeTime& node : run.nodes) {
    // A chain's nodes share its time.
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

Result<bool> ModelMeasurer::Round(int ranks) {
  const Program program = TRY(Planned(ranks));
  const std::vector<std::string> calls = CallsOf(program, OpTable::BuiltIn());
  const bool known = std::all_of(calls.begin(), calls.end(), [&](const std::string& call) {
    const auto rows = profile_.calls.find(call);
    return call.empty() || (rows != profile_.calls.end() && rows->second.count(ranks) > 0);
  });
  if (known) return true;
  RunOptions options;
  options.warm_up = 3;
  options.iterations = 20;
  options.min_seconds = kRunSeconds;
  options.random_weights = true;
  options.random_inputs = true;
  options.seed = session_.seed;
  options.interrupted = &Session::interrupted();
  Book(calls, TRY(RunProgram(program, {}, {}, options)), ranks);
  return false;
}

}  // namespace

Result<void> MeasureModel(Session& session,
                          const Graph& model,
                          const std::vector<int>& ranks,
                          Profile& profile,
                          const std::function<void(const Profile&)>& row_done) {
  ModelMeasurer measurer(session, model, profile);
  for (int count : ranks) {
    for (int round = 0; round < kMostRounds; ++round) {
      session.console.Step(fmt::format("calls of the model on {} ranks", count));
      if (TRY(measurer.Round(count))) break;
      if (row_done) row_done(profile);
    }
  }
  return {};
}

}  // namespace metadist::cli
