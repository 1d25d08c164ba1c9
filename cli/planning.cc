// SPDX-License-Identifier: Apache-2.0
#include "cli/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "cli/cpu_profile.h"
#include "cli/format.h"
#include "cli/problem_files.h"
#include "cli/rule_files.h"
#include "cli/uncut_dims.h"
#include "cli/values.h"
#include "planner/lower/lower.h"
#include "planner/recomputing.h"
#include "planner/rules/book/rule_book.h"
#include "profiles/cost.h"
#include "profiles/profile_io.h"

namespace metadist::cli {
namespace {

Result<ReduceIn> ParseReduceIn(const std::string& name) {
  if (name == "f32") return ReduceIn::kF32;
  if (name == "type") return ReduceIn::kType;
  return Usage(fmt::format("--reduce-in: expected f32 or type, got '{}'", name));
}

// A template restricts the solver's choices.
Result<void> CheckTemplate(const PlanFlags& flags, const PlanRequest& request) {
  const SolverDef* solver = FindSolver(flags.solver);
  if (request.plan_template.free() || solver == nullptr || solver->optimizes) return {};
  return Usage(
      fmt::format(
          "--template {} and --solver {} contradict each other", flags.plan_template, solver->name),
      fmt::format("a template restricts the search, and {} does not search", solver->name));
}

Result<void> CheckOverlap(const PlanFlags& flags, const Cluster& cluster) {
  if (!flags.overlap || CanOverlap(cluster)) return {};
  return Usage(
      fmt::format("--overlap: {} ranks share {} cores of a machine of {}, and each needs a "
                  "second one",
                  cluster.devices_per_node,
                  cluster.profile->header.cores,
                  cluster.name),
      "omit the flag, or take fewer ranks");
}

Result<void> ReadLimits(const PlanFlags& flags, PlanRequest& request) {
  if (!flags.memory.empty())
    request.memory_limit_bytes = TRY(ParseBytes(flags.memory).in("--memory"));
  if (!flags.time_limit.empty())
    request.time_limit_seconds = TRY(ParseSeconds(flags.time_limit).in("--time-limit"));
  request.gap = TRY(ParseGap(flags.gap).in("--gap"));
  return {};
}

// "solve mesh a=4: best 0.0123 s, bound 0.0121 s, gap 1.63 %, 812 strategies deleted".
std::string ProgressText(const PlanProgress& p) {
  std::string out = fmt::format("{}{}{}", p.phase, p.detail.empty() ? "" : " ", p.detail);
  std::string_view separator = ": ";
  const auto add = [&](const std::string& text) {
    out += fmt::format("{}{}", std::exchange(separator, ", "), text);
  };
  if (p.has_plan) add(fmt::format("best {:.6g} s", p.cost_seconds));
  if (p.has_bound) add(fmt::format("bound {:.6g} s", p.bound_seconds));
  if (p.has_plan && p.has_bound && p.cost_seconds > 0)
    add(fmt::format("gap {:.2f} %", 100 * (p.cost_seconds - p.bound_seconds) / p.cost_seconds));
  if (p.deletions > 0) add(fmt::format("{} strategies deleted", p.deletions));
  return out;
}

Result<void> ReadMesh(const PlanFlags& flags, PlanRequest& request) {
  if (flags.mesh == "auto") return {};
  request.mesh = TRY(ParseMesh(flags.mesh));
  if (request.mesh->ranks() == request.cluster.devices()) return {};
  return Usage(fmt::format("--mesh {} has {} ranks, cluster {} has {} devices",
                           flags.mesh,
                           request.mesh->ranks(),
                           flags.cluster,
                           request.cluster.devices()),
               "make them equal, or omit --mesh");
}

Result<void> ReadConstraints(const PlanFlags& flags, PlanRequest& request) {
  for (const std::string& text : flags.constraints) {
    const size_t at = text.rfind('=');
    if (at == std::string::npos || at == 0)
      return Usage(fmt::format("--constrain '{}': expected PATTERN=SHARDING", text),
                   "for example --constrain 'input_ids=[data][]'");
    request.constraints.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return {};
}

Result<void> ReadChoice(const PlanFlags& flags, PlanRequest& request) {
  if (flags.choice.empty()) return {};
  if (!request.mesh)
    return Usage("--choice needs --mesh", "a choice belongs to the problem of one mesh");
  if (flags.solver != PlanFlags().solver)
    return Usage(fmt::format("--choice and --solver {} contradict each other", flags.solver),
                 "a choice is taken as it is, nothing is solved");
  request.choose = [path = flags.choice](const Problem& problem) -> Result<Choice> {
    return LoadChoice(path, problem, ChoiceOf::kBeginning);
  };
  return {};
}

// Values whose sizes are known only at run time use memory that cannot be predicted.
void WarnOfUnknownSizes(const Session& session, const Graph& graph) {
  const auto unknown = std::count_if(graph.values.begin(),
                                     graph.values.end(),
                                     [](const Value& value) { return !IsKnown(value.type.shape); });
  if (unknown > 0)
    session.console.Warn(
        fmt::format("{} of data-dependent size: replicated; their memory and time are not counted",
                    unknown == 1 ? "1 value" : fmt::format("{} values", unknown)));
}

// If no plan fits: adds which budget would be enough, and whether a device has that much.
Error ExplainInfeasible(Error error, const LeastMemory& least, const Cluster& cluster) {
  if (error.code != ErrorCode::kInfeasible || least.bytes == 0) return error;
  error.message +=
      fmt::format(" ({} and {})", BytesText(least.bytes), BytesText(least.bound_bytes));
  if (least.bytes > cluster.usable_bytes())
    error.hint = fmt::format("each device of {} has {} to use: take more devices",
                             cluster.name,
                             BytesText(cluster.usable_bytes()));
  return error;
}

Result<RecomputingPlan> PlanAsItIs(const PlanRequest& request) {
  RecomputingPlan out;
  out.planned = TRY(MakePlan(request));
  return out;
}

}  // namespace

Result<PlannedModel> PlanModel(Session& session, const PlanFlags& flags, LeastMemory* least) {
  const auto start = std::chrono::steady_clock::now();
  PlanRequest request;
  TRY(ReadLimits(flags, request));
  TRY(ReadConstraints(flags, request));
  request.plan_template = TRY(ParseTemplate(flags.plan_template));
  request.reduce_in = TRY(ParseReduceIn(flags.reduce_in));
  PlannedModel result;
  result.model = TRY(LoadModel(session, flags.model));
  request.cluster = TRY(FindCluster(session, flags.cluster));
  TRY(ReadMesh(flags, request));
  TRY(CheckTemplate(flags, request));
  TRY(CheckOverlap(flags, request.cluster));

  RuleBook rules(*result.model.ops, {.seed = 0}, session.thread_count());
  TRY(LearnRules(session, flags.rules, rules));
  request.graph = &result.model.imported.graph;
  request.ops = result.model.ops.get();
  request.rules = &rules;
  request.solver = flags.solver;
  request.seed = session.seed;
  request.threads = session.thread_count();
  request.overlap = flags.overlap;
  request.alternatives = !flags.no_alternatives;
  request.interrupted = &Session::interrupted();
  std::string shown;
  request.progress = [&](const PlanProgress& p) {
    if (p.has_plan) Session::finishes() = true;
    std::string line = ProgressText(p);
    if (line == shown) return;
    session.console.Step(line);
    shown = std::move(line);
  };
  LeastMemory own_least;
  request.least = least == nullptr ? &own_least : least;
  request.keep_problem = !flags.save_problem.empty();
  TRY(ReadChoice(flags, request));
  request.origin.tool_version = METADIST_VERSION;
  request.origin.model_path = flags.model.path;
  request.origin.model_hash = result.model.imported.hash;
  request.origin.binds = result.model.binds;
  request.origin.passes_off = flags.model.passes_off;
  request.origin.training = result.model.training;
  request.origin.cluster = flags.cluster;
  request.origin.profile = request.cluster.profile->header.name;
  request.origin.profile_hash = Fingerprint(*request.cluster.profile);
  const bool recomputes = result.model.training && result.model.training->recompute == "auto";
  auto planned = recomputes && !request.choose ? PlanRecomputing(request) : PlanAsItIs(request);
  session.console.EndSteps();
  WarnOfMisfits(session, flags.rules, rules);
  WarnOfUnanswered(session, *result.model.ops, rules.Report(*request.graph));
  if (!planned.ok())
    return ExplainInfeasible(std::move(planned).error(), *request.least, request.cluster);
  result.planned = std::move(planned.value().planned);
  if (recomputes) {
    const int64_t blocks = planned.value().blocks;
    if (blocks > 0) result.model.imported.graph = std::move(planned.value().step);
    result.model.training->recompute = blocks == 0 ? "none" : std::to_string(blocks);
    result.planned.plan.origin.training = result.model.training;
  }
  WarnOfUncut(session, rules.Report(result.model.imported.graph));
  WarnOfUnknownSizes(session, result.model.imported.graph);
  result.cluster = request.cluster;
  result.total_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

namespace {

// Copies the bytes of the model's values to the values of `graph` with the same names that lack
// them; likewise in the bodies of nodes with the same name.
void TakeData(const Graph& model, Graph& graph) {
  for (Value& value : graph.values) {
    if (value.kind == ValueKind::kResult || value.data.has_data()) continue;
    const ValueId id = model.FindValue(value.name);
    if (id != kNone && model.value(id).type == value.type) value.data = model.value(id).data;
  }
  std::map<std::string, const Node*> with_bodies;
  for (const Node& node : model.nodes)
    if (!node.regions.empty()) with_bodies[node.name] = &node;
  for (Node& node : graph.nodes) {
    const auto same = with_bodies.find(node.name);
    if (same == with_bodies.end() || same->second->regions.size() != node.regions.size()) continue;
    for (size_t r = 0; r < node.regions.size(); ++r) {
      Graph body = *node.regions[r].graph;
      TakeData(*same->second->regions[r].graph, body);
      node.regions[r].graph = std::make_shared<Graph>(std::move(body));
    }
  }
}

}  // namespace

Result<Program> LowerWithData(const Plan& plan, const Graph& model) {
  Program program = TRY(Lower(plan));
  for (Stage& stage : program.stages) {
    TakeData(model, stage.graph);
  }
  return program;
}

}  // namespace metadist::cli
