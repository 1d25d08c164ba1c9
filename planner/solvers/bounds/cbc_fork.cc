// SPDX-License-Identifier: Apache-2.0
// CBC 2.10.8 crashes on some programs: assertions fail, and its heuristics corrupt memory on small
// programs. It therefore runs in a process of its own. If that process dies, CBC is run again
// without cuts and heuristics, which leaves little but the simplex method; its proofs are equally
// valid.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "planner/solvers/bounds/cbc_run.h"
#include "planner/solvers/bounds/run_in_fork.h"

namespace metadist {
namespace {

// A MipResult in shared memory; the solution follows.
struct Answer {
  MipOutcome outcome;
  bool has_solution;
};

void Put(const MipResult& result, std::byte* to) {
  new (to) Answer{result, !result.solution.empty()};
  if (!result.solution.empty())
    std::memcpy(
        to + sizeof(Answer), result.solution.data(), result.solution.size() * sizeof(double));
}

MipResult Take(const std::byte* from, size_t columns) {
  Answer answer;
  std::memcpy(&answer, from, sizeof answer);
  MipResult out{answer.outcome, {}};
  if (answer.has_solution) {
    out.solution.resize(columns);
    std::memcpy(out.solution.data(), from + sizeof answer, columns * sizeof(double));
  }
  return out;
}

MipResult SolveInFork(const LinearModel& model, const MipOptions& options, CbcEffort effort) {
  const auto columns = static_cast<size_t>(model.columns());
  const SharedMemory answer = MakeSharedMemory(sizeof(Answer) + columns * sizeof(double));
  ForkEnd end = ForkEnd::kNotBegun;
  if (answer != nullptr) {
    const auto work = [&](const std::atomic<bool>& stop) {
      MipOptions own = options;
      own.interrupted = &stop;
      Put(RunCbc(model, own, effort), answer.get());
    };
    end = RunInFork(work, options.seconds, options.interrupted);
  }
  if (end == ForkEnd::kDone) return Take(answer.get(), columns);
  if (end == ForkEnd::kNotBegun) return RunCbc(model, options, effort);
  if (end == ForkEnd::kOutOfMemory) throw std::bad_alloc();
  MipResult out;
  if (end == ForkEnd::kDied) out.status = MipResult::Status::kCrashed;
  return out;
}

}  // namespace

MipResult SolveMip(const LinearModel& model, const MipOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  MipResult result = SolveInFork(model, options, CbcEffort::kAll);
  if (result.status != MipResult::Status::kCrashed) return result;
  MipOptions rest = options;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  rest.seconds = std::max(0.0, options.seconds - taken.count());
  return SolveInFork(model, rest, CbcEffort::kBranching);
}

}  // namespace metadist
