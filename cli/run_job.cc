// SPDX-License-Identifier: Apache-2.0
#include "cli/run_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/output_file.h"
#include "cli/train_flags.h"
#include "metair/ir/text_file.h"
#include "metair/spmd/mesh.h"
#include "planner/plan/plan_io.h"

namespace metadist::cli {
namespace {

Result<std::optional<Plan>> PlanIn(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  if (!file || !(file >> first) || first != '{') return std::optional<Plan>();
  const std::string text = TRY(ReadText(path));
  auto plan = ReadPlan(text, path);
  if (plan.ok()) return std::optional<Plan>(std::move(plan).value());
  Error error = std::move(plan).error();
  const std::string report = "\"metadist.plan_report\"";
  if (text.substr(0, 200).find(report) != std::string::npos)
    error.hint =
        "this is what `metadist plan --json` prints; `metadist plan -o FILE` writes a plan";
  return error;
}

// The plan says how its model is read and split. Errors: kUsage for flags that say otherwise.
Result<void> CheckFlagsOfPlan(const RunFlags& flags, const Plan& plan) {
  std::vector<Error> problems;
  const auto differs = [&](const std::string& flag, const std::string& planned) {
    problems.push_back(Usage(fmt::format("{}, but the plan was made {}", flag, planned),
                             "omit the flag, or plan again with it"));
  };
  if (flags.ranks != 0 && flags.ranks != plan.mesh.ranks())
    differs(fmt::format("--ranks is {}", flags.ranks), fmt::format("for {}", plan.mesh.ranks()));
  if (flags.plan.mesh != PlanFlags().mesh && TRY(ParseMesh(flags.plan.mesh)) != plan.mesh)
    differs("--mesh is " + flags.plan.mesh, "for " + MeshText(plan.mesh));
  for (const auto& [name, size] : TRY(ParseBinds(flags.plan.model.binds))) {
    const auto planned = plan.origin.binds.find(name);
    if (planned == plan.origin.binds.end())
      differs(fmt::format("--bind is {}={}", name, size), "without it");
    else if (planned->second != size)
      differs(fmt::format("--bind is {}={}", name, size),
              fmt::format("with {}={}", name, planned->second));
  }
  for (const std::string& pass : flags.plan.model.passes_off)
    if (std::ranges::count(plan.origin.passes_off, pass) == 0)
      differs("--no-pass is " + pass, "without it");
  auto training = TRY(ParseTraining(flags.plan.model.train));
  if (training && plan.origin.training && training->recompute == "auto")
    training->recompute = plan.origin.training->recompute;
  if (training && training != plan.origin.training)
    differs("--train is " + training->optimizer,
            plan.origin.training ? "with other options of training" : "for inference");
  if (flags.plan.solver != PlanFlags().solver)
    differs("--solver is " + flags.plan.solver, "already");
  if (!flags.plan.rules.empty()) differs("--rules is " + flags.plan.rules, "already");
  if (flags.plan.overlap && plan.order.empty()) differs("--overlap is given", "without it");
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

// A model on one rank is not planned. Errors: kUsage for flags that say how.
Result<void> CheckFlagsOfOneRank(const RunFlags& flags) {
  const PlanFlags defaults;
  std::vector<std::string_view> given;
  if (flags.plan.mesh != defaults.mesh) given.push_back("--mesh");
  if (flags.plan.solver != defaults.solver) given.push_back("--solver");
  if (!flags.plan.rules.empty()) given.push_back("--rules");
  if (flags.plan.overlap) given.push_back("--overlap");
  if (flags.ranks == 0 && !given.empty())
    return Usage(fmt::format("{}: only with --ranks, which says for how many ranks to plan",
                             fmt::join(given, ", ")),
                 "for example --ranks 4");
  if (flags.plan.mesh == defaults.mesh) return {};
  const Mesh mesh = TRY(ParseMesh(flags.plan.mesh));
  if (mesh.ranks() == 1) return {};
  return Usage(fmt::format("--mesh {} has {} ranks, --ranks is 1", flags.plan.mesh, mesh.ranks()),
               "make them equal");
}

// The model of a plan: at the path in the plan, or beside the plan file.
Result<Job> LoadPlannedJob(Session& session, const RunFlags& flags, Plan plan) {
  ModelFlags model;
  model.path = plan.origin.model_path;
  std::error_code error;
  const auto beside = std::filesystem::path(flags.plan.model.path).parent_path() /
                      std::filesystem::path(model.path).filename();
  if (!std::filesystem::exists(model.path, error) && std::filesystem::exists(beside, error))
    model.path = beside.string();
  if (!std::filesystem::exists(model.path, error))
    return Error{ErrorCode::kUsage,
                 flags.plan.model.path,
                 fmt::format("its model {} does not exist", model.path),
                 "put the model back, or next to the plan",
                 {}};
  TRY(CheckDistinct({{"the model", model.path}, {"--output", session.output}}));
  for (const auto& [name, size] : plan.origin.binds)
    model.binds.push_back(fmt::format("{}={}", name, size));
  model.passes_off = plan.origin.passes_off;
  model.strict = flags.plan.model.strict;
  model.op_libraries = flags.plan.model.op_libraries;
  auto read = LoadModel(session, model, plan.origin.training);
  if (!read.ok()) {
    if (read.error().code != ErrorCode::kUsage) return std::move(read).failure();
    // The sizes differ from those of the plan: not the model that was planned.
    return BadInput(
        flags.plan.model.path,
        fmt::format(
            "model {} has changed since it was planned: {}", model.path, read.error().message),
        "plan it again");
  }
  LoadedModel loaded = std::move(read).value();
  if (loaded.imported.hash != plan.origin.model_hash)
    return BadInput(flags.plan.model.path,
                    fmt::format("model {} has changed since it was planned: expected {}, got {}",
                                model.path,
                                plan.origin.model_hash,
                                loaded.imported.hash),
                    "plan it again");
  auto ops = TRY(OperatorsToRun(loaded.op_libraries));
  return Job{
      std::move(loaded.imported.graph), std::move(ops), std::move(plan), flags.plan.model.path};
}

}  // namespace

Result<Job> LoadJob(Session& session, const RunFlags& flags) {
  auto plan = TRY(PlanIn(flags.plan.model.path));
  if (plan.has_value()) {
    TRY(CheckFlagsOfPlan(flags, *plan));
    return LoadPlannedJob(session, flags, std::move(*plan));
  }
  const int ranks = flags.ranks == 0 ? flags.ranks_of_model : flags.ranks;
  if (ranks == 1) {
    TRY(CheckFlagsOfOneRank(flags));
    LoadedModel model = TRY(LoadModel(session, flags.plan.model));
    auto ops = TRY(OperatorsToRun(model.op_libraries));
    return Job{
        std::move(model.imported.graph), std::move(ops), std::nullopt, flags.plan.model.path};
  }
  PlanFlags planning = flags.plan;
  planning.cluster = fmt::format("cpu:{}", ranks);
  planning.no_alternatives = true;
  PlannedModel planned = TRY(PlanModel(session, planning));
  if (planned.planned.interrupted)
    return Error{.code = ErrorCode::kInterrupted, .message = "interrupted while planning"};
  Session::finishes() = false;
  auto ops = TRY(OperatorsToRun(planned.model.op_libraries));
  return Job{std::move(planned.model.imported.graph),
             std::move(ops),
             std::move(planned.planned.plan),
             planning.model.path};
}

}  // namespace metadist::cli
