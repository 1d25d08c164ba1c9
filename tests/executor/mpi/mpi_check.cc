// SPDX-License-Identifier: Apache-2.0
// The tests that thread ranks run, as one of the processes that mpirun started:
//   mpirun -n N mpi_check transport|programs
// A rank prints its failure, and all processes end.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "executor/comm/mpi/mpi_world.h"
#include "executor/host/random_data.h"
#include "executor/run/process_run.h"
#include "metair/ops/interpret.h"
#include "tests/executor/comm/transport_suite.h"
#include "tests/executor/run/program_cases.h"

namespace metadist {
namespace {

Result<void> CheckTransport(Messenger& processes) {
  const auto world = MakeMessageTransport(processes, processes.size());
  for (int64_t count : {0, 1, 100, 2000}) TRY(transports::CheckSteps(*world, count));
  TRY(transports::CheckBundles(*world));
  TRY(transports::CheckRing(*world));
  TRY(transports::CheckChannels(*world));
  TRY(transports::CheckNumbers(*world));
  return transports::CheckSplit(*world);
}

Result<void> ExpectNear(const Tensor& got, const Tensor& expected, const std::string& what) {
  if (got.type() != expected.type()) return Internal(what + ": wrong type");
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-5 + 1e-5 * std::abs(b[i])))
      return Internal(fmt::format("{} differs at {}: {} and {}", what, i, a[i], b[i]));
  return {};
}

// The same program on threads gives the same bits.
Result<void> CheckProgram(Messenger& processes, const std::string& text, RunOptions options) {
  const Program program = TRY(ParseProgram(text));
  options.random_weights = options.random_inputs = true;
  options.seed = 9;
  const RunResult run = TRY(RunOnProcesses(processes, program, {}, {}, options));
  const RunResult threads = TRY(RunProgram(program, {}, {}, options));
  if (run.outputs.size() != threads.outputs.size()) return Internal("wrong number of outputs");
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    TRY(ExpectNear(run.outputs[i].second, threads.outputs[i].second, run.outputs[i].first));
    if (!Identical(run.outputs[i].second, threads.outputs[i].second))
      return Internal(run.outputs[i].first + ": other bits than on threads");
  }
  if (run.memory.size() != threads.memory.size() || run.peak_bytes != threads.peak_bytes)
    return Internal("other memory than on threads");
  if (run.nodes.size() != threads.nodes.size()) return Internal("other nodes than on threads");
  return {};
}

Result<void> CheckPrograms(Messenger& processes) {
  for (const programs::PipelineCase& one : programs::PipelineCases()) {
    if (one.ranks != processes.size()) continue;
    auto checked = CheckProgram(processes, programs::PipelineText(one), {});
    if (!checked.ok())
      return std::move(checked).error().in(std::to_string(one.stages) + " stages, " +
                                           std::to_string(one.micro_batches) + " batches");
  }
  if (processes.size() == 6) return EndRuns(processes);
  RunOptions options;
  options.warm_up = 4;
  TRY(CheckProgram(processes, programs::TrainingText(processes.size()), options));
  return EndRuns(processes);
}

Result<void> Check(const std::string& what) {
  const auto processes = TRY(JoinMpi({.timeout_seconds = 60}));
  Result<void> checked;
  if (what == "transport")
    checked = CheckTransport(*processes);
  else if (processes->rank() == 0)
    checked = CheckPrograms(*processes);
  else
    checked = ServeRuns(*processes, OpTable::BuiltIn());
  if (checked.ok()) return {};
  // The abort may end every process.
  std::fprintf(stderr, "[rank %d] %s\n", processes->rank(), checked.error().text().c_str());
  processes->Abort(checked.error());
  return checked;
}

}  // namespace
}  // namespace metadist

int main(int argc, char** argv) { return metadist::Check(argc > 1 ? argv[1] : "").ok() ? 0 : 1; }
