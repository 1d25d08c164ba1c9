// SPDX-License-Identifier: Apache-2.0
#include "planner/search/alternatives.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "metair/ir/check.h"
#include "metair/training/value_roles.h"
#include "planner/search/effort.h"
#include "planner/search/plan_of_choice.h"
#include "planner/simulate/simulate.h"

namespace metadist {
namespace {

Alternative RowOf(const SearchSetting& setting, std::string name, const Prediction& prediction) {
  const int64_t peak = prediction.memory.peak_bytes();
  return {std::move(name),
          prediction.step.seconds,
          prediction.overlap.step_seconds,
          peak,
          peak <= setting.limit_bytes,
          ""};
}

// With its collectives bundled, as in a plan.
std::optional<Alternative> RowOf(const SearchSetting& setting, std::string name, BestPlan choice) {
  const auto plan = PlanOfChoice(setting, std::move(choice));
  if (!plan.ok()) return std::nullopt;
  return RowOf(setting, std::move(name), plan.value().prediction);
}

SolveOptions OptionsFor(const SearchSetting& setting, std::string_view name) {
  SolveOptions options = setting.clock.Options(kImproveWork, fmt::format("alternative: {}", name));
  options.gap = 0;
  options.progress = nullptr;
  return options;
}

constexpr std::string_view kOneDevice = "one device";

std::optional<Alternative> OneDevice(const SearchSetting& setting) {
  PlanRequest request = setting.request;
  request.constraints.clear();
  request.plan_template = {};
  const Cluster one = MakeCluster(std::string(kOneDevice), request.cluster.profile, 1, 1);
  auto planner = MeshPlanner::Make(request, one, Mesh{{{"a", 1}}});
  if (!planner.ok()) return std::nullopt;
  auto solved = planner.value()->Solve(
      std::nullopt, /*tied=*/true, DefaultSolver(), OptionsFor(setting, kOneDevice));
  if (!solved.ok() || !solved.value().candidate) return std::nullopt;
  const Program& program = solved.value().candidate->program;
  return RowOf(setting, std::string(kOneDevice), Simulate(program, one, *request.ops));
}

// Whether some input can be cut along its first dim over all devices.
bool SomeInputCuts(const PlanRequest& request) {
  for (const ValueId id : request.graph->inputs) {
    const Shape& shape = request.graph->value(id).type.shape;
    if (!shape.empty() && shape[0] >= request.cluster.devices()) return true;
  }
  return false;
}

constexpr std::string_view kDataParallel = "data parallel only";

// Within the limit if possible.
std::optional<LoweredChoice> BestOf(const SearchSetting& setting,
                                    std::string_view name,
                                    MeshPlanner& planner) {
  const SolveOptions options = OptionsFor(setting, name);
  auto free = planner.Solve(std::nullopt, /*tied=*/true, DefaultSolver(), options);
  if (!free.ok() || !free.value().candidate) return std::nullopt;
  if (free.value().candidate->memory.peak_bytes() > setting.limit_bytes) {
    auto limited = planner.Solve(setting.limit_bytes, /*tied=*/true, DefaultSolver(), options);
    if (limited.ok() && limited.value().candidate) return std::move(limited.value().candidate);
  }
  return std::move(free.value().candidate);
}

// The plan is also one without a limit, and may be the best known.
std::optional<Alternative> Unlimited(const SearchSetting& setting,
                                     const BestPlan& free,
                                     const Plan& plan) {
  const char* name = "no memory limit";
  auto row = RowOf(setting, name, free);
  if (!row || row->step_seconds <= plan.prediction.step.seconds) return row;
  return RowOf(setting, name, plan.prediction);
}

}  // namespace

std::vector<NamedTemplate> TemplatesFor(const PlanRequest& request, const Mesh& mesh) {
  std::vector<NamedTemplate> out;
  if (SomeInputCuts(request)) out.emplace_back(kDataParallel, "dp");
  const bool trains = IsTrainingStep(*request.graph);
  if (trains)
    for (const char* name : {"zero1", "zero2"}) out.emplace_back(name, name);
  for (const char* name : {"zero3", "megatron", "megatron+sp"}) out.emplace_back(name, name);
  if (mesh.axes.size() != 2) return out;
  for (const char* data : {trains ? "zero1" : "dp", "zero3"}) {
    const std::string name =
        fmt::format("{}:{},{}:megatron+sp", mesh.axes[0].name, data, mesh.axes[1].name);
    out.emplace_back(name, name);
  }
  return out;
}

std::vector<TemplateChoice> TryTemplates(const SearchSetting& setting, size_t mesh) {
  std::vector<TemplateChoice> out;
  if (!setting.request.plan_template.free()) return out;
  const MeshPlanner& whole = setting.meshes.at(mesh);
  for (const auto& [name, text] : TemplatesFor(setting.request, whole.mesh())) {
    if (setting.clock.Over()) break;
    setting.clock.Report("solve", fmt::format("alternative: {}", name));
    const auto plan_template = ParseTemplate(text);
    CHECK(plan_template.ok(), "a template of ours has a known name");
    auto planner = whole.Restricted(plan_template.value());
    if (!planner.ok()) continue;
    auto best = BestOf(setting, name, *planner.value());
    if (!best) continue;
    const auto plan = PlanOfChoice(setting, {mesh, *best});
    if (!plan.ok()) continue;
    const bool fits = best->memory.peak_bytes() <= setting.limit_bytes;
    out.push_back({name, mesh, std::move(*best), fits, plan.value().prediction});
  }
  return out;
}

std::vector<Alternative> AlternativesTo(const Plan& plan,
                                        const SearchSetting& setting,
                                        const std::vector<TemplateChoice>& templates,
                                        const BestPlan& free) {
  const Cluster& cluster = setting.request.cluster;
  std::vector<Alternative> rows;
  if (auto row = OneDevice(setting)) rows.push_back(std::move(*row));
  if (setting.request.plan_template.free() && !SomeInputCuts(setting.request))
    rows.push_back({.name = std::string(kDataParallel),
                    .note = fmt::format("no input can be cut into {} along its first dim",
                                        cluster.devices())});
  for (const TemplateChoice& one : templates)
    rows.push_back(RowOf(setting, one.name, one.prediction));
  if (!free.mesh) return rows;
  if (auto row = Unlimited(setting, free, plan)) rows.push_back(std::move(*row));
  return rows;
}

}  // namespace metadist
