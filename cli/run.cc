// SPDX-License-Identifier: Apache-2.0
// Executes a plan (or a model), compares it with one device, and sets predicted beside measured.
#include "executor/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/cpu_profile.h"
#include "cli/format.h"
#include "cli/output_file.h"
#include "cli/planning.h"
#include "cli/rule_files.h"
#include "cli/values.h"
#include "executor/trace.h"
#include "importers/npz.h"
#include "metair/ir/suggest.h"
#include "metair/ir/text_file.h"
#include "planner/plan/plan_io.h"

namespace metadist::cli {
namespace {

struct RunFlags {
  PlanFlags plan;  // its model path is the PLAN or MODEL
  int ranks = 0;
  std::string backend = "threads";
  std::string inputs;
  std::vector<std::string> input;
  std::string expect;
  std::string trace;
  bool bench = false;
  bool no_check = false;
  bool random_weights = false;
  int iterations = 0;
  std::optional<int> warm_up;
  std::string baseline;
  std::string max_regress;
};

// What is run: the whole model, and how it is split (nothing: one device).
struct Job {
  Graph graph;
  std::shared_ptr<const OpTable> ops;
  std::optional<Plan> plan;
  std::string name;
};

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

// The model of a plan: where the plan says, or beside the plan file.
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
                 "put the model back, or beside the plan",
                 {}};
  TRY(CheckDistinct({{"the model", model.path}, {"--output", session.output}}));
  for (const auto& [name, size] : plan.origin.binds)
    model.binds.push_back(fmt::format("{}={}", name, size));
  model.passes_off = plan.origin.passes_off;
  model.op_libraries = flags.plan.model.op_libraries;
  auto read = LoadModel(session, model);
  if (!read.ok()) {
    if (read.error().code != ErrorCode::kUsage) return std::move(read).failure();
    // Other sizes than were bound, or none: not the model that was planned.
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
  auto ops = TRY(OperatorsToRun(loaded));
  return Job{
      std::move(loaded.imported.graph), std::move(ops), std::move(plan), flags.plan.model.path};
}

Result<Job> LoadJob(Session& session, const RunFlags& flags) {
  auto plan = TRY(PlanIn(flags.plan.model.path));
  if (plan.has_value()) {
    if (flags.ranks != 0 && flags.ranks != plan->mesh.ranks())
      return Usage(
          fmt::format("the plan has {} ranks, --ranks says {}", plan->mesh.ranks(), flags.ranks));
    return LoadPlannedJob(session, flags, std::move(*plan));
  }
  if (flags.ranks <= 1) {
    LoadedModel model = TRY(LoadModel(session, flags.plan.model));
    auto ops = TRY(OperatorsToRun(model));
    return Job{
        std::move(model.imported.graph), std::move(ops), std::nullopt, flags.plan.model.path};
  }
  PlanFlags planning = flags.plan;
  planning.cluster = fmt::format("cpu:{}", flags.ranks);
  planning.no_alternatives = true;
  PlannedModel planned = TRY(PlanModel(session, planning));
  if (planned.planned.interrupted)
    return Error{ErrorCode::kInterrupted, "", "interrupted while planning", "", {}};
  Session::finishes() = false;
  auto ops = TRY(OperatorsToRun(planned.model));
  return Job{std::move(planned.model.imported.graph),
             std::move(ops),
             std::move(planned.planned.plan),
             planning.model.path};
}

Result<NamedTensors> ReadInputs(const RunFlags& flags, const Graph& graph) {
  NamedTensors inputs;
  if (!flags.inputs.empty()) inputs = TRY(ReadArrays(flags.inputs));
  for (const std::string& text : flags.input) {
    const size_t at = text.find('=');
    if (at == std::string::npos)
      return Usage(fmt::format("--input '{}': expected NAME=FILE.npy", text));
    NamedTensors one = TRY(ReadArrays(text.substr(at + 1)));
    if (one.size() != 1)
      return Usage(fmt::format("--input '{}': the file holds {} arrays", text, one.size()));
    inputs[text.substr(0, at)] = one.begin()->second;
  }
  std::vector<std::string> names;
  for (ValueId id : graph.inputs) names.push_back(graph.value(id).name);
  for (const auto& [name, tensor] : inputs)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Usage(fmt::format("the model has no input '{}'", name), DidYouMean(name, names));
  return inputs;
}

// The program with the model's own bytes in place of those the plan file leaves out.
Result<Program> ProgramOf(const Job& job) {
  if (!job.plan.has_value()) return SingleDevice(job.graph);
  return LowerWithData(*job.plan, job.graph);
}

Result<void> CheckBackend(const RunFlags& flags) {
  if (flags.backend == "threads") return {};
  return Error{ErrorCode::kDevice,
               "",
               fmt::format("back end '{}' is not usable here", flags.backend),
               "see `metadist doctor`",
               {}};
}

constexpr uint64_t kShakes = 3;  // runs that tell how far roundings move an output

struct Outcome {
  RunResult run;
  Comparison one_device;
  bool compares_one_device = false;
  Comparison expected;
  std::string expected_file;  // "": none
  Tolerance tolerance;
  std::map<std::string, double> moved;  // how far roundings move outputs; empty: not asked
  std::string baseline;                 // file; "": none
  double max_regress = 0;
  Result<void> regression;
  Result<void> traced;  // whether the trace is written

  bool passed() const { return one_device.passed && expected.passed; }
  double most_moved() const {
    double most = 0;
    for (const auto& [name, movement] : moved) most = std::max(most, movement);
    return most;
  }
  bool checked() const { return compares_one_device || !expected_file.empty(); }
  std::string compared_with() const {
    const bool both = compares_one_device && !expected_file.empty();
    return (compares_one_device ? "one device" : "") + std::string(both ? " and " : "") +
           expected_file;
  }
};

Result<Outcome> Execute(Session& session, const RunFlags& flags, const Job& job) {
  Outcome out;
  const NamedTensors inputs = TRY(ReadInputs(flags, job.graph));
  RunOptions options;
  options.seed = session.seed;
  options.random_inputs = true;
  options.random_weights = flags.random_weights;
  // Drawn for the model: what its operators take shows less in a program of other operators.
  options.drawn_for = &job.graph;
  options.interrupted = &Session::interrupted();
  options.ops = job.ops.get();
  const bool compare = !flags.no_check && job.plan.has_value();
  RunOptions timed = options;
  timed.warm_up = flags.warm_up.value_or(flags.bench ? 3 : 1);
  timed.iterations = flags.iterations > 0 ? flags.iterations : flags.bench ? 10 : 3;
  timed.min_seconds = flags.bench && flags.iterations == 0 ? 0.5 : 0;
  timed.trace = !flags.trace.empty();
  const Program program = TRY(ProgramOf(job));
  out.run = TRY(RunProgram(program, {}, inputs, timed));
  if (!flags.trace.empty())
    out.traced = WriteFile(flags.trace, TraceJson(program, out.run), session.force);
  const auto coarsest = CoarsestTypes(job.graph);
  out.tolerance = WidestTolerance(coarsest);
  std::optional<RunResult> whole;
  if (compare) whole = TRY(RunProgram(SingleDevice(job.graph), {}, inputs, options));
  NamedTensors arrays;
  if (!flags.expect.empty() && !flags.no_check) {
    arrays = TRY(ReadArrays(flags.expect));
    if (arrays.empty())
      return BadInput(
          flags.expect, "it holds no arrays", "give a file with an array for each output");
    for (const auto& [name, got] : out.run.outputs)
      if (const auto found = arrays.find(name); found != arrays.end())
        found->second = FromBits(std::move(found->second), got.element());
    out.expected_file = flags.expect;
  }
  const auto check = [&] {
    if (whole) out.one_device = Compare(out.run.outputs, whole->outputs, coarsest, out.moved);
    if (!out.expected_file.empty())
      out.expected = Compare(out.run.outputs, {arrays.begin(), arrays.end()}, coarsest, out.moved);
  };
  out.compares_one_device = whole.has_value();
  check();
  if (out.passed()) return out;
  // What differs may be what roundings make of this model, on one device as well.
  const auto& base = whole ? whole->outputs : out.run.outputs;
  for (options.shake = 1; options.shake <= kShakes; ++options.shake) {
    const auto shaken = RunProgram(SingleDevice(job.graph), {}, inputs, options);
    if (!shaken.ok() && shaken.error().code == ErrorCode::kInterrupted) return shaken.error();
    if (!shaken.ok()) continue;  // sizes were made of a constant that moved
    for (const auto& [name, movement] : Movement(base, shaken.value().outputs))
      out.moved[name] = std::max(out.moved[name], movement);
  }
  check();
  return out;
}

std::string MeshOf(const Job& job) { return job.plan.has_value() ? MeshText(job.plan->mesh) : "1"; }

nlohmann::ordered_json OutcomeJson(const Session& session,
                                   const RunFlags& flags,
                                   const Job& job,
                                   const Outcome& out) {
  nlohmann::ordered_json document = session.Document();
  document["check"] = nullptr;
  if (out.checked())
    document["check"] = {
        {"passed", out.passed()},
        {"max_abs_error", std::max(out.one_device.max_abs_error, out.expected.max_abs_error)},
        {"max_rel_error", std::max(out.one_device.max_rel_error, out.expected.max_rel_error)},
        {"compared_with", out.compared_with()},
        {"tolerance",
         {{"type", out.tolerance.type},
          {"relative", out.tolerance.relative},
          {"roundings_move", out.most_moved()}}}};
  document["ranks"] = job.plan.has_value() ? job.plan->mesh.ranks() : 1;
  document["mesh"] = MeshOf(job);
  document["backend"] = flags.backend;
  document["seconds"] = {
      {"median", out.run.median_seconds},
      {"p10", out.run.p10_seconds},
      {"p90", out.run.p90_seconds},
      {"quiet", out.run.quiet_seconds},
      {"min", *std::min_element(out.run.step_seconds.begin(), out.run.step_seconds.end())},
      {"iterations", out.run.step_seconds.size()}};
  document["predicted_seconds"] = nullptr;
  document["peak_bytes"] = {{"predicted", nullptr}, {"measured", out.run.peak_bytes}};
  if (job.plan.has_value()) {
    document["predicted_seconds"] = job.plan->prediction.step.seconds;
    document["peak_bytes"]["predicted"] = job.plan->peak_bytes();
  }
  document["baseline"] = nullptr;
  if (!out.baseline.empty())
    document["baseline"] = {
        {"file", out.baseline}, {"max_regress", out.max_regress}, {"passed", out.regression.ok()}};
  document["collectives"] = nlohmann::ordered_json::object();
  for (const auto& [kind, count] : out.run.collectives)
    document["collectives"][kind] = {{"count", count.count}, {"bytes", count.bytes}};
  document["reference_kernels"] = out.run.reference_ops;
  return document;
}

// "0.1 % for f32", or "".
std::string ToleranceText(const Tolerance& tolerance) {
  return tolerance.type.empty()
             ? ""
             : fmt::format("{:g} % for {}", tolerance.relative * 100, tolerance.type);
}

// What the results were compared with, and how that went: "equal to one device, differs from FILE".
std::string VerdictText(const Outcome& out) {
  if (!out.checked()) return "not compared";
  if (out.passed()) return fmt::format("PASSED: equal to {}", out.compared_with());
  if (out.expected_file.empty() || (!out.one_device.passed && !out.expected.passed))
    return fmt::format("FAILED: differs from {}", out.compared_with());
  return out.one_device.passed
             ? fmt::format("FAILED: differs from {}{}",
                           out.expected_file,
                           out.compares_one_device ? ", equal to one device" : "")
             : fmt::format("FAILED: differs from one device, equal to {}", out.expected_file);
}

std::string OutcomeText(const Job& job, const Outcome& out) {
  const bool ranks = job.plan.has_value() && job.plan->mesh.ranks() > 1;
  std::string text = fmt::format("{} on {} {}\n",
                                 job.name,
                                 job.plan.has_value() ? job.plan->mesh.ranks() : 1,
                                 ranks ? "thread ranks" : "rank");
  // A plan for other devices is run here to be checked; its times are of another machine.
  const bool elsewhere = job.plan.has_value() && !CpuRanks(job.plan->origin.cluster);
  Table table({{""},
               {elsewhere ? "predicted on " + job.plan->origin.cluster : "predicted", true},
               {elsewhere ? "measured on threads here" : "measured", true}});
  table.Add({"step",
             job.plan ? SecondsText(job.plan->prediction.step.seconds) : "-",
             SecondsText(out.run.median_seconds)});
  table.Add({"memory a rank",
             job.plan ? BytesText(job.plan->peak_bytes()) : "-",
             BytesText(out.run.peak_bytes)});
  text += table.text();
  text += "  " + VerdictText(out);
  if (out.checked())
    text += fmt::format(
        ", largest error {:.2g} (relative {:.2g}{}{}{})",
        std::max(out.one_device.max_abs_error, out.expected.max_abs_error),
        std::max(out.one_device.max_rel_error, out.expected.max_rel_error),
        out.tolerance.type.empty() ? "" : ", allowed ",
        ToleranceText(out.tolerance),
        out.most_moved() > 0 ? fmt::format("; roundings move {:.2g}", out.most_moved()) : "");
  text += "\n";
  if (!out.baseline.empty())
    text += fmt::format("  {} {:g} % of {}\n",
                        out.regression.ok() ? "within" : "SLOWER: not within",
                        out.max_regress * 100,
                        out.baseline);
  return text;
}

Result<void> CheckResults(const RunFlags& flags, const Job& job, const Outcome& out) {
  if (out.passed()) return {};
  const Comparison& wrong = out.one_device.passed ? out.expected : out.one_device;
  return Error{ErrorCode::kMismatch,
               job.name,
               fmt::format("results differ from {}: {}",
                           out.one_device.passed ? flags.expect : "one device",
                           wrong.detail),
               "",
               {}};
}

Result<void> RunCommand(Session& session, RunFlags flags) {
  TRY(CheckBackend(flags));
  TRY(CheckWritable(flags.trace, session.force));
  TRY(CheckDistinct({{"the plan or model", flags.plan.model.path},
                     {"--output", session.output},
                     {"--trace", flags.trace}}));
  std::optional<Baseline> baseline;
  const double share = flags.max_regress.empty() ? 0.05 : TRY(ParsePercent(flags.max_regress));
  if (!flags.baseline.empty()) {
    baseline = TRY(ReadBaseline(flags.baseline));
    flags.bench = true;
  }
  const Job job = TRY(LoadJob(session, flags));
  if (baseline) TRY(CheckAlike(*baseline, MeshOf(job), flags.backend));
  Outcome out = TRY(Execute(session, flags, job));
  if (baseline) {
    out.baseline = flags.baseline;
    out.max_regress = share;
    out.regression = CheckRegression(*baseline, out.run.p10_seconds, share);
  }
  for (const std::string& op : out.run.reference_ops)
    session.console.Detail(fmt::format("{} runs on its reference kernel", op));
  const Result<void> reported =
      session.EmitResult(OutcomeJson(session, flags, job, out), OutcomeText(job, out));
  return JoinAll({CheckResults(flags, job, out), out.regression, reported, out.traced});
}

}  // namespace

void AddRun(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("run", "execute a plan or a model, and check it");
  auto flags = std::make_shared<RunFlags>();
  AddModelFlags(*command, session, flags->plan.model);
  command
      ->add_option(
          "--ranks", flags->ranks, "a MODEL is planned for that many thread ranks (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_option("--mesh", flags->plan.mesh, "with --ranks: the mesh to plan for")
      ->type_name("M");
  command->add_option("--solver", flags->plan.solver, "with --ranks: the solver")
      ->type_name("NAME");
  AddRulesFlag(*command, flags->plan.rules);
  command->add_option("--backend", flags->backend, "threads, mpi, cuda or nccl (default threads)")
      ->check(CLI::IsMember({"threads", "mpi", "cuda", "nccl"}))
      ->type_name("NAME");
  command
      ->add_option(
          "--inputs", flags->inputs, "arrays named as the model's inputs (default: random)")
      ->type_name("FILE.npz");
  command->add_option("--input", flags->input, "one input; repeatable")
      ->type_name("NAME=FILE.npy")
      ->take_all();
  command->add_option("--expect", flags->expect, "arrays the outputs must equal")
      ->type_name("FILE.npz");
  command->add_option("--iterations", flags->iterations, "measured steps, at least")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option(
          "--warm-up", flags->warm_up, "steps before those measured (default 1, with --bench 3)")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  command->add_flag("--bench", flags->bench, "warm up and measure at least 10 steps and 0.5 s");
  CLI::Option* baseline = command->add_option(
      "--baseline", flags->baseline, "with --bench: fail if a step takes longer than in FILE");
  baseline->type_name("FILE.json");
  command
      ->add_option(
          "--max-regress", flags->max_regress, "how much longer than the baseline (default 5%)")
      ->type_name("SHARE")
      ->needs(baseline);
  command->add_option("--trace", flags->trace, "write the last step as Chrome trace")
      ->type_name("FILE");
  command->add_flag("--no-check", flags->no_check, "do not compare with the one-device run");
  command->add_flag(
      "--random-weights", flags->random_weights, "seeded weights where the model has none");
  command->footer("Example:\n  metadist run gpt2.plan.json\n  metadist run gpt2.onnx --ranks 4");
  session.action = [&session, flags] { return RunCommand(session, *flags); };
}

}  // namespace metadist::cli
