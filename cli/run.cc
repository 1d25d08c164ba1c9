// SPDX-License-Identifier: Apache-2.0
// Executes a plan (or a model), compares it with one device, and shows predictions beside
// measurements.
#include "executor/run/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/output_file.h"
#include "cli/processes.h"
#include "cli/rule_files.h"
#include "cli/run_job.h"
#include "cli/run_outcome.h"
#include "cli/run_report.h"
#include "cli/values.h"
#include "executor/run/process_run.h"
#include "importers/arrays/npz.h"
#include "metair/ir/suggest.h"
#include "metair/ir/text_file.h"

namespace metadist::cli {
namespace {

// Chooses the back end if no flag names one.
Result<void> ChooseBackend(const Launch& launch, RunFlags& flags) {
  if (flags.backend.empty()) flags.backend = launch.size > 1 ? "mpi" : "threads";
  flags.timeout_seconds = TRY(TimeoutSeconds(flags.timeout));
  if (flags.backend == "threads") return {};
  if (flags.streams == "2")
    return Usage("--streams 2: only ranks that are threads have a second stream",
                 "omit the flag, or run without mpirun");
  if (flags.backend != "mpi")
    return Error{ErrorCode::kDevice,
                 "",
                 fmt::format("back end '{}' is not usable here", flags.backend),
                 "see `metadist doctor`"};
  return CheckStartedByMpi(launch);
}

Result<void> CheckResults(const RunFlags& flags, const Job& job, const RunOutcome& out) {
  if (out.passed()) return {};
  const Comparison& wrong = out.one_device.passed ? out.expected : out.one_device;
  return Error{ErrorCode::kMismatch,
               job.name,
               fmt::format("results differ from {}: {}",
                           out.one_device.passed ? flags.expect : "one device",
                           wrong.detail)};
}

Result<void> RunAndReport(Session& session, RunFlags flags) {
  TRY(CheckWritable(flags.trace, session.force));
  TRY(CheckWritable(flags.save_state, session.force));
  TRY(CheckDistinct({{"the plan or model", flags.plan.model.path},
                     {"--output", session.output},
                     {"--trace", flags.trace},
                     {"--save-state", flags.save_state}}));
  std::optional<Baseline> baseline;
  const double share = flags.max_regress.empty() ? 0.05 : TRY(ParsePercent(flags.max_regress));
  if (!flags.baseline.empty()) {
    baseline = TRY(ReadBaseline(flags.baseline));
    flags.bench = true;
  }
  const Job job = TRY(LoadJob(session, flags));
  if (baseline) TRY(CheckComparable(*baseline, job.mesh(), flags.backend));
  const RunOutcome outcome = TRY(Execute(session, flags, job));
  RunReport report = RunReportOf(flags, job, outcome);
  Result<void> regression;
  if (baseline) {
    regression = CheckRegression(*baseline, report.p10_seconds, share);
    report.baseline = RunReport::Regression{flags.baseline, share, regression.ok()};
  }
  for (const std::string& op : report.reference_kernels)
    session.console.Detail(fmt::format("{} runs on its reference kernel", op));
  const Result<void> reported = session.EmitResult(RunJson(session, report), RunText(report));
  return JoinAll({CheckResults(flags, job, outcome), regression, reported, outcome.written});
}

// Rank 0 of several processes does everything a single process does; the others run the programs it
// sends.
Result<void> RunCommand(Session& session, RunFlags flags) {
  const Launch launch = DetectLaunch();
  TRY(ChooseBackend(launch, flags));
  if (flags.backend == "threads")
    return launch.rank == 0 ? RunAndReport(session, std::move(flags)) : Result<void>();
  Roles roles;
  roles.lead = [&](Messenger& processes) {
    if (flags.ranks == 0) flags.ranks_of_model = processes.size();
    return RunAndReport(session, std::move(flags));
  };
  roles.serve = [&](Messenger& processes) -> Result<void> {
    const auto ops = TRY(OperatorsToRun(flags.plan.model.op_libraries));
    return ServeRuns(processes, *ops);
  };
  return RunTogether(session, flags.timeout_seconds, roles);
}

// What goes in and comes out, and over how many steps.
void AddDataFlags(CLI::App& command, RunFlags& flags) {
  command
      .add_option("--inputs",
                  flags.inputs,
                  "arrays named like the model's inputs (default: random), or a folder with such "
                  "files, one a step")
      ->type_name("FILE.npz|FOLDER");
  command.add_option("--input", flags.input, "one input; repeatable")
      ->type_name("NAME=FILE.npy")
      ->take_all();
  command
      .add_option(
          "--expect", flags.expect, "expected outputs, arrays named like the model's outputs")
      ->type_name("FILE.npz");
  command
      .add_option("--steps",
                  flags.steps,
                  "steps that a model with state (--train) takes before its results are compared "
                  "(default 1, or one for each file of --inputs FOLDER)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      .add_option("--load-state",
                  flags.load_state,
                  "start with the states that --save-state wrote, under this or another plan")
      ->type_name("FILE.npz");
  command
      .add_option("--save-state",
                  flags.save_state,
                  "write what the last step hands on: trained parameters, optimizer states")
      ->type_name("FILE.npz");
}

}  // namespace

void AddRun(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("run", "execute a plan or a model, and check it");
  auto flags = std::make_shared<RunFlags>();
  AddModelFlags(*command, session, flags->plan.model);
  AddTrainFlags(*command, flags->plan.model.train);
  command->get_option("MODEL")->description(
      "a plan that `metadist plan -o` wrote, or a model; told apart by the content");
  command
      ->add_option("--ranks", flags->ranks, "plan a MODEL for this many thread ranks (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_option("--mesh", flags->plan.mesh, "with --ranks: the mesh to plan for")
      ->type_name("M");
  command->add_option("--solver", flags->plan.solver, "with --ranks: the solver")
      ->type_name("NAME");
  command->add_flag("--overlap",
                    flags->plan.overlap,
                    "with --ranks: let collectives run beside the nodes that do not wait for them");
  AddRulesFlag(*command, flags->plan.rules);
  command
      ->add_option("--backend",
                   flags->backend,
                   "threads, mpi, cuda or nccl (default: mpi in processes that mpirun or srun "
                   "started, else threads)")
      ->check(CLI::IsMember({"threads", "mpi", "cuda", "nccl"}))
      ->type_name("NAME");
  command
      ->add_option(
          "--timeout", flags->timeout, "longest that a rank waits for another (default 60s)")
      ->type_name("T");
  command
      ->add_option("--streams",
                   flags->streams,
                   "of each rank, for a plan with --overlap: 2 runs collectives beside nodes, 1 "
                   "in order with them; auto takes 2 if every stream gets a core (default auto)")
      ->check(CLI::IsMember({"auto", "1", "2"}))
      ->type_name("N");
  AddDataFlags(*command, *flags);
  command->add_option("--iterations", flags->iterations, "measure at least this many steps")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option(
          "--warm-up", flags->warm_up, "steps to run before measuring (default 1, with --bench 3)")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  command->add_flag("--bench", flags->bench, "warm up and measure at least 10 steps and 0.5 s");
  CLI::Option* baseline = command->add_option(
      "--baseline", flags->baseline, "with --bench: fail if a step takes longer than in FILE");
  baseline->type_name("FILE.json");
  command
      ->add_option(
          "--max-regress", flags->max_regress, "slowdown allowed against the baseline (default 5%)")
      ->type_name("SHARE")
      ->needs(baseline);
  command->add_option("--trace", flags->trace, "write the last step as a Chrome trace")
      ->type_name("FILE");
  command->add_flag("--no-check", flags->no_check, "do not compare with the one-device run");
  command->add_flag("--random-weights",
                    flags->random_weights,
                    "draw weights by the seed where the model has none");
  command->footer(
      "Example:\n  metadist run gpt2.plan.json\n  metadist run gpt2.onnx --ranks 4\n"
      "  mpirun -n 4 metadist run gpt2.plan.json");
  session.action = [&session, flags] { return RunCommand(session, *flags); };
}

}  // namespace metadist::cli
