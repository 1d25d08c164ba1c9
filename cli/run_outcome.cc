// SPDX-License-Identifier: Apache-2.0
#include "cli/run_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output_file.h"
#include "cli/states.h"
#include "executor/run/process_run.h"
#include "importers/arrays/npz.h"
#include "metair/ir/suggest.h"

namespace metadist::cli {
namespace {

constexpr uint64_t kPerturbedRuns = 3;  // runs that measure how far roundings move an output

// Errors: kUsage for arrays with the name of no value in `ids`, the model's inputs or outputs.
Result<void> CheckNames(const NamedTensors& arrays,
                        const Graph& graph,
                        const std::vector<ValueId>& ids,
                        std::string_view kind) {
  std::vector<std::string> names;
  for (ValueId id : ids) names.push_back(graph.value(id).name);
  std::vector<Error> problems;
  for (const auto& [name, tensor] : arrays)
    if (std::find(names.begin(), names.end(), name) == names.end())
      problems.push_back(
          Usage(fmt::format("the model has no {} '{}'", kind, name), DidYouMean(name, names)));
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

// The files of a folder, in the order of their names.
Result<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".npz") files.push_back(entry.path().string());
  if (error) return Usage(fmt::format("--inputs {}: {}", folder, error.message()));
  if (files.empty()) return Usage(fmt::format("--inputs {}: the folder has no .npz file", folder));
  std::ranges::sort(files);
  return files;
}

// The inputs of each step; after the last the first come again.
Result<std::vector<NamedTensors>> ReadInputs(const RunFlags& flags, const Graph& graph) {
  std::vector<std::string> files{flags.inputs};
  std::error_code error;
  if (std::filesystem::is_directory(flags.inputs, error)) files = TRY(FilesIn(flags.inputs));
  NamedTensors single;
  for (const std::string& text : flags.input) {
    const size_t at = text.find('=');
    if (at == std::string::npos)
      return Usage(fmt::format("--input '{}': expected NAME=FILE.npy", text));
    NamedTensors one = TRY(ReadArrays(text.substr(at + 1)));
    if (one.size() != 1)
      return Usage(fmt::format("--input '{}': the file holds {} arrays", text, one.size()));
    single[text.substr(0, at)] = one.begin()->second;
  }
  std::vector<NamedTensors> out;
  for (const std::string& file : files) {
    NamedTensors inputs;
    if (!file.empty()) inputs = TRY(ReadArrays(file));
    for (const auto& [name, tensor] : single) inputs[name] = tensor;
    TRY(CheckNames(inputs, graph, graph.inputs, "input"));
    out.push_back(std::move(inputs));
  }
  return out;
}

// The arrays of --expect; none without the flag.
Result<NamedTensors> ReadExpected(const std::string& path, const Graph& graph) {
  if (path.empty()) return NamedTensors();
  NamedTensors expected = TRY(ReadArrays(path));
  if (expected.empty())
    return BadInput(path, "it holds no arrays", "give a file with an array for each output");
  TRY(CheckNames(expected, graph, graph.outputs, "output").in(path));
  return expected;
}

// The program, with the model's own bytes for those that the plan file omits.
Result<Program> ProgramOf(const Job& job) {
  if (!job.plan.has_value()) return SingleDevice(job.graph);
  return LowerWithData(*job.plan, job.graph);
}

// States go on from step to step, so the results are those of a given number of steps. kept:
// whether they are compared or written.
Result<int> StepsToCompare(const RunFlags& flags, const Graph& graph, size_t batches, bool kept) {
  const std::string hint = "give --train, or measure more steps with --iterations";
  if (graph.state.empty() && flags.steps != 0)
    return Usage("--steps: the model has no state, so all its steps are the same", hint);
  if (graph.state.empty() && !flags.save_state.empty())
    return Usage("--save-state: the model has no state", "give --train, or a plan that trains");
  if (graph.state.empty() && batches > 1)
    return Usage("--inputs: only a model with state takes a folder, one file a step", hint);
  if (flags.steps != 0 && !kept)
    return Usage("--steps: there is nothing to compare with",
                 "give --ranks, a plan, --expect or --save-state, and no --no-check");
  return flags.steps != 0 ? flags.steps : static_cast<int>(batches);
}

Result<RunResult> Run(Session& session,
                      const Program& program,
                      const NamedTensors& weights,
                      const NamedTensors& inputs,
                      const RunOptions& options) {
  return session.processes != nullptr
             ? RunOnProcesses(*session.processes, program, weights, inputs, options)
             : RunProgram(program, weights, inputs, options);
}

// What steps start from: the states, and the inputs of each step.
struct StepData {
  States states;
  std::vector<NamedTensors> batches;

  // The inputs of one step, with states `at`.
  NamedTensors InputsOf(size_t step, const States& at) const {
    NamedTensors inputs = batches[step % batches.size()];
    for (const auto& [name, tensor] : at.inputs) inputs.insert_or_assign(name, tensor);
    return inputs;
  }
};

using RunOnce = std::function<Result<RunResult>(
    const NamedTensors& weights, const NamedTensors& inputs, const RunOptions& options)>;

// Takes options.iterations steps. With inputs that differ from step to step, each is a run of its
// own, which starts from the states of the one before.
Result<RunResult> TakeSteps(const RunOnce& run,
                            const StepData& data,
                            const Graph& graph,
                            RunOptions options) {
  options.watch = !graph.state.empty();
  if (data.batches.size() == 1)
    return run(data.states.parameters, data.InputsOf(0, data.states), options);
  RunResult all;
  States states = data.states;
  const int steps = std::exchange(options.iterations, 1);
  for (int step = 0; step < steps; ++step) {
    RunResult one =
        TRY(run(states.parameters, data.InputsOf(static_cast<size_t>(step), states), options));
    states = StatesAfter(graph, one.outputs);
    all.outputs = std::move(one.outputs);
    if (all.scalars.empty())
      all.scalars = std::move(one.scalars);
    else
      for (size_t i = 0; i < all.scalars.size(); ++i)
        all.scalars[i].second.push_back(one.scalars[i].second[0]);
  }
  return all;
}

std::string OfEveryStep(const std::string& name) { return name + " of every step"; }

// The values of outputs of one float at every step, as outputs to compare. States are compared
// after the last step.
void AddScalars(const Graph& graph, RunResult& run) {
  std::erase_if(run.scalars, [&](const auto& one) {
    return std::ranges::any_of(graph.state, [&](const StatePair& pair) {
      return !pair.sums && graph.value(pair.output).name == one.first;
    });
  });
  for (const auto& [name, values] : run.scalars)
    run.outputs.emplace_back(
        OfEveryStep(name),
        Tensor::Of<double>({std::ssize(values)}, values).Cast(ElementType::kF32));
}

RunOptions OptionsFor(const Session& session, const RunFlags& flags, const Job& job) {
  RunOptions options;
  options.seed = session.seed;
  options.random_inputs = true;
  options.random_weights = flags.random_weights;
  options.zero_states = true;
  // Inputs are drawn for the model, whose operators show the valid inputs better than the
  // program's.
  options.drawn_for = &job.graph;
  options.interrupted = &Session::interrupted();
  options.ops = job.ops.get();
  if (flags.streams != "auto") options.streams = flags.streams == "2" ? 2 : 1;
  return options;
}

}  // namespace

Result<RunOutcome> Execute(Session& session, const RunFlags& flags, const Job& job) {
  RunOutcome out;
  StepData data;
  data.batches = TRY(ReadInputs(flags, job.graph));
  if (!flags.load_state.empty()) data.states = TRY(ReadStates(flags.load_state, job.graph));
  NamedTensors expected = TRY(ReadExpected(flags.expect, job.graph));
  RunOptions options = OptionsFor(session, flags, job);
  const bool compare = !flags.no_check && job.plan.has_value();
  const bool kept = compare || !expected.empty() || !flags.save_state.empty();
  options.iterations = TRY(StepsToCompare(flags, job.graph, data.batches.size(), kept));
  RunOptions timed = options;
  timed.warm_up = flags.warm_up.value_or(flags.bench ? 3 : 1);
  timed.iterations = flags.iterations > 0 ? flags.iterations : flags.bench ? 10 : 3;
  timed.min_seconds = flags.bench && flags.iterations == 0 ? 0.5 : 0;
  timed.trace = !flags.trace.empty();
  const Program program = TRY(ProgramOf(job));
  timed.timeout_seconds = flags.timeout_seconds;
  const RunOnce on_ranks = [&](const auto& weights, const auto& inputs, const RunOptions& how) {
    return Run(session, program, weights, inputs, how);
  };
  out.run = TRY(on_ranks(data.states.parameters, data.InputsOf(0, data.states), timed));
  std::vector<Result<void>> written;
  if (!flags.trace.empty())
    written.push_back(WriteFile(flags.trace, TraceJson(program, out.run.timeline), session.force));
  if (!job.graph.state.empty() && kept) {
    RunOptions exact = options;
    exact.timeout_seconds = flags.timeout_seconds;
    RunResult steps = TRY(TakeSteps(on_ranks, data, job.graph, exact));
    if (!flags.save_state.empty())
      written.push_back(WriteFile(
          flags.save_state, StateBytes(StatesAfter(job.graph, steps.outputs)), session.force));
    AddScalars(job.graph, steps);
    out.scalars = std::move(steps.scalars);
    out.run.outputs = std::move(steps.outputs);
  }
  out.written = JoinAll(std::move(written));
  const RunOnce on_one = [&](const auto& weights, const auto& inputs, const RunOptions& how) {
    return RunProgram(SingleDevice(job.graph), weights, inputs, how);
  };
  std::map<std::string, ElementType> coarsest = CoarsestTypes(job.graph);
  for (const auto& [name, values] : out.scalars)
    if (const auto found = coarsest.find(name); found != coarsest.end())
      coarsest[OfEveryStep(name)] = found->second;
  out.tolerance = WidestTolerance(coarsest);
  std::optional<RunResult> whole;
  if (compare) {
    whole = TRY(TakeSteps(on_one, data, job.graph, options));
    AddScalars(job.graph, *whole);
  }
  out.expected_file = flags.expect;
  for (const auto& [name, got] : out.run.outputs)
    if (const auto found = expected.find(name); found != expected.end())
      found->second = FromBits(std::move(found->second), got.element());
  const auto check = [&] {
    if (whole) out.one_device = Compare(out.run.outputs, whole->outputs, coarsest, out.moved);
    if (!out.expected_file.empty())
      out.expected =
          Compare(out.run.outputs, {expected.begin(), expected.end()}, coarsest, out.moved);
  };
  out.compares_one_device = whole.has_value();
  check();
  if (out.passed()) return out;
  // The differences may be caused by roundings in this model, which also occur on one device.
  const auto& base = whole ? whole->outputs : out.run.outputs;
  for (options.perturbation = 1; options.perturbation <= kPerturbedRuns; ++options.perturbation) {
    auto perturbed = TakeSteps(on_one, data, job.graph, options);
    if (!perturbed.ok() && perturbed.error().code == ErrorCode::kInterrupted)
      return perturbed.error();
    if (!perturbed.ok()) continue;  // sizes were computed from a constant that moved
    AddScalars(job.graph, perturbed.value());
    for (const auto& [name, movement] : Movement(base, perturbed.value().outputs))
      out.moved[name] = std::max(out.moved[name], movement);
  }
  check();
  return out;
}

}  // namespace metadist::cli
