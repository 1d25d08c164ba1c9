// SPDX-License-Identifier: Apache-2.0
// Chooses how to split a model over a cluster.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/plan_report.h"
#include "cli/planning.h"
#include "cli/problem_files.h"
#include "cli/rule_files.h"
#include "planner/lower/lower.h"
#include "planner/plan/plan_io.h"
#include "planner/solvers/problem/problem_io.h"
#include "planner/solvers/solver.h"

namespace metadist::cli {
namespace {

struct Flags {
  PlanFlags plan;
  bool text = false;
  std::string trace;  // file
};

Result<void> PlanCommand(Session& session, const Flags& flags) {
  const std::string& problem_path = flags.plan.save_problem;
  const std::string names_path = problem_path.empty() ? "" : NamesPath(problem_path);
  TRY(JoinAll({CheckWritable(problem_path, session.force),
               CheckWritable(names_path, session.force),
               CheckWritable(flags.trace, session.force),
               CheckDistinct({{"the model", flags.plan.model.path},
                              {"--output", session.output},
                              {"--trace", flags.trace},
                              {"--save-problem", problem_path},
                              {"the names of --save-problem", names_path}})}));
  LeastMemory least;
  auto result = PlanModel(session, flags.plan, &least);
  if (!result.ok()) {
    if (result.error().code == ErrorCode::kInfeasible && session.json) {
      nlohmann::ordered_json document = session.Document();
      document["status"] = "infeasible";
      document["reason"] = result.error().message;
      document["smallest_bytes"] = least.bytes;
      document["bound_bytes"] = least.bound_bytes;
      session.Report(document, "");
    }
    return std::move(result).failure();
  }
  const PlannedModel& planned = result.value();
  std::vector<Result<void>> done;
  if (!session.output.empty()) {
    auto plan = WritePlan(planned.planned.plan);
    done.push_back(plan.ok() ? session.Emit(plan.value())
                             : Result<void>(std::move(plan).error().in(session.output)));
  }
  if (planned.planned.problem) {
    const Problem& problem = *planned.planned.problem;
    done.push_back(SaveProblem(problem_path, problem, session.force));
    done.push_back(WriteFile(names_path, WriteNodeNames(problem), session.force));
  }
  const PlanReport report = PlanReportOf(planned);
  nlohmann::ordered_json document = PlanReportJson(session, report);
  std::string program_text;
  if (flags.text || !flags.trace.empty()) {
    const Program program = TRY(Lower(planned.planned.plan));
    if (!flags.trace.empty()) {
      const Timeline timeline = PredictedTimeline(
          program, planned.cluster, *planned.model.ops, planned.planned.plan.prediction);
      done.push_back(WriteFile(flags.trace, TraceJson(program, timeline), session.force));
    }
    if (flags.text) program_text = ProgramText(program);
  }
  if (flags.text) document["program"] = program_text;
  session.Report(document, flags.text ? program_text : PlanReportText(report));
  if (planned.planned.interrupted)
    done.push_back(Error{.code = ErrorCode::kInterrupted,
                         .message = "interrupted; this is the best plan so far"});
  return JoinAll(std::move(done));
}

}  // namespace

void AddPlan(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("plan", "choose how a model is split over a cluster");
  auto flags = std::make_shared<Flags>();
  PlanFlags& plan = flags->plan;
  const auto add = OptionsOf(*command);
  AddModelFlags(*command, session, plan.model);
  AddTrainFlags(*command, plan.model.train);
  session.required.push_back(
      add("--cluster C", plan.cluster, "8xh100, 2x8xh100, cpu:4, or a profile file")
          ->envname("METADIST_CLUSTER"));
  AddRulesFlag(*command, plan.rules);
  add("--mesh M",
      plan.mesh,
      "e.g. data=4,model=8 or 4x8, major to minor; auto tries all (default auto)");
  add("--memory BYTES",
      plan.memory,
      "memory limit per rank, e.g. 80GiB (default: what the device has)");
  add("--solver NAME",
      plan.solver,
      fmt::format("{} (default {})", SolverNames(), DefaultSolver().name));
  add("--gap SHARE", plan.gap, "stop when this close to the bound, e.g. 1% (default 0)");
  command
      ->add_option("--time-limit",
                   plan.time_limit,
                   "solve no longer than this, e.g. 30s (default: no limit)")
      ->type_name("T");
  command
      ->add_option(
          "--template",
          plan.plan_template,
          fmt::format("{}; or by mesh axis, e.g. data:zero3,model:megatron", TemplateNames()))
      ->type_name("NAME");
  command
      ->add_option(
          "--reduce-in",
          plan.reduce_in,
          "element type in which partial sums of f16, bf16 and narrower floats are held and sent: "
          "f32 rounds once; type (their own) halves the traffic and may overflow. With f32 no "
          "products of floats are left partial, as these may overflow, too (default f32)")
      ->type_name("f32|type");
  add("--constrain PATTERN=SHARDING",
      plan.constraints,
      "sharding of the values whose name matches, e.g. 'input_ids=[data][]'; repeatable")
      ->take_all();
  command->add_flag("--overlap",
                    plan.overlap,
                    "let collectives run beside the nodes that do not wait for them, on a second "
                    "stream of each rank; plans are chosen by the time with overlap");
  command->add_flag("--no-alternatives", plan.no_alternatives, "omit the table of alternatives");
  add("--save-problem FILE",
      plan.save_problem,
      "write the problem that the plan solves, and the names of its nodes next to it");
  add("--choice FILE", plan.choice, "do not solve: lower this choice for the problem of --mesh");
  command->add_flag("--text", flags->text, "print the program that each rank runs");
  add("--trace FILE", flags->trace, "write the predicted step as a Chrome trace");
  command->footer("Example:\n  metadist plan gpt2.onnx --cluster cpu:4 -o gpt2.plan.json");
  session.action = [&session, flags] { return PlanCommand(session, *flags); };
}

}  // namespace metadist::cli
