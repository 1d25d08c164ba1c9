// SPDX-License-Identifier: Apache-2.0
#include "cli/run_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output_file.h"
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
  TRY(CheckNames(inputs, graph, graph.inputs, "input"));
  return inputs;
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

// States go on from step to step, so the results are those of a given number of steps.
Result<int> StepsToCompare(const RunFlags& flags, const Graph& graph, bool compares) {
  if (flags.steps != 0 && graph.state.empty())
    return Usage("--steps: the model has no state, so all its steps are the same",
                 "give --train, or measure more steps with --iterations");
  if (flags.steps != 0 && !compares)
    return Usage("--steps: there is nothing to compare with",
                 "give --ranks, a plan or --expect, and no --no-check");
  return std::max(flags.steps, 1);
}

Result<RunResult> Run(Session& session,
                      const Program& program,
                      const NamedTensors& inputs,
                      const RunOptions& options) {
  return session.processes != nullptr
             ? RunOnProcesses(*session.processes, program, {}, inputs, options)
             : RunProgram(program, {}, inputs, options);
}

}  // namespace

Result<RunOutcome> Execute(Session& session, const RunFlags& flags, const Job& job) {
  RunOutcome out;
  const NamedTensors inputs = TRY(ReadInputs(flags, job.graph));
  NamedTensors expected = TRY(ReadExpected(flags.expect, job.graph));
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
  const bool compare = !flags.no_check && job.plan.has_value();
  const bool compares = compare || !expected.empty();
  options.iterations = TRY(StepsToCompare(flags, job.graph, compares));
  RunOptions timed = options;
  timed.warm_up = flags.warm_up.value_or(flags.bench ? 3 : 1);
  timed.iterations = flags.iterations > 0 ? flags.iterations : flags.bench ? 10 : 3;
  timed.min_seconds = flags.bench && flags.iterations == 0 ? 0.5 : 0;
  timed.trace = !flags.trace.empty();
  const Program program = TRY(ProgramOf(job));
  timed.timeout_seconds = flags.timeout_seconds;
  out.run = TRY(Run(session, program, inputs, timed));
  if (!job.graph.state.empty() && compares) {
    RunOptions exact = options;
    exact.timeout_seconds = flags.timeout_seconds;
    out.run.outputs = TRY(Run(session, program, inputs, exact)).outputs;
  }
  if (!flags.trace.empty())
    out.traced = WriteFile(flags.trace, TraceJson(program, out.run.timeline), session.force);
  const auto coarsest = CoarsestTypes(job.graph);
  out.tolerance = WidestTolerance(coarsest);
  std::optional<RunResult> whole;
  if (compare) whole = TRY(RunProgram(SingleDevice(job.graph), {}, inputs, options));
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
    const auto perturbed = RunProgram(SingleDevice(job.graph), {}, inputs, options);
    if (!perturbed.ok() && perturbed.error().code == ErrorCode::kInterrupted)
      return perturbed.error();
    if (!perturbed.ok()) continue;  // sizes were computed from a constant that moved
    for (const auto& [name, movement] : Movement(base, perturbed.value().outputs))
      out.moved[name] = std::max(out.moved[name], movement);
  }
  check();
  return out;
}

}  // namespace metadist::cli
