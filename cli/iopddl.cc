// SPDX-License-Identifier: Apache-2.0
#include "cli/iopddl.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>

#include "cli/console.h"
#include "cli/problem_files.h"
#include "cli/session.h"
#include "cli/values.h"
#include "planner/solvers/problem/problem_io.h"
#include "planner/solvers/solver.h"

namespace metadist::cli {
namespace {

// The solver gets a time limit slightly below the contest's, and the margin is for finishing its
// current step. If it does not finish in time, the best choice reported so far is printed without
// it and the process ends, because the contest counts a late answer as no answer.
constexpr double kMarginShare = 0.005;
constexpr double kLeastMargin = 0.3;
constexpr double kPrintingShare = 0.5;  // share of the margin

class Contest {
 public:
  using Clock = std::chrono::steady_clock;

  Contest(std::string path, double seconds) : path_(std::move(path)), seconds_(seconds) {}

  int Run() {
    std::thread worker([this] { Work(); });
    std::unique_lock lock(mutex_);
    const double margin = Margin();
    const auto last =
        start_ + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds_ - margin * kPrintingShare));
    while (!done_ && Clock::now() < last) finished_.wait_until(lock, last);
    if (done_) {
      lock.unlock();
      worker.join();
    }
    // While the lock is held, a worker that is still running cannot change the choice.
    const int status = done_           ? status_
                       : best_.empty() ? static_cast<int>(ErrorCode::kTimeLimit)
                                       : 0;
    console_.Print(WriteChoice(best_));
    std::fflush(stdout);
    std::_Exit(status);
  }

 private:
  double Margin() const {
    return std::min(seconds_ / 2, std::max(kLeastMargin, kMarginShare * seconds_));
  }

  double Left() const {
    const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    return seconds_ - Margin() - spent;
  }

  void Work() {
    int status = 0;
    try {
      status = Solve();
    } catch (const std::bad_alloc&) {
      status = console_.Fail(OutOfMemory());
    }
    const std::lock_guard lock(mutex_);
    status_ = status;
    done_ = true;
    finished_.notify_all();
  }

  int Solve() {
    auto file = LoadProblem(path_, [this]() -> std::optional<Error> {
      if (Left() > 0 && !Session::interrupted().load()) return std::nullopt;
      return Error{.code = ErrorCode::kTimeLimit, .message = "time limit reached while reading"};
    });
    if (!file.ok()) return console_.Fail(file.error());
    SolveOptions options;
    options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.time_limit_seconds = std::max(1e-6, Left());
    options.interrupted = &Session::interrupted();
    options.progress = [this](const SolveProgress& progress) {
      if (progress.choice != nullptr) Offer(*progress.choice);
    };
    const auto result = DefaultSolver().solve(file.value().problem, options);
    if (!result.ok()) return console_.Fail(result.error());
    const SolveStatus status = result.value().status;
    if (!result.value().choice.empty()) Offer(result.value().choice);
    if (status == SolveStatus::kInfeasible) {
      return console_.Fail({ErrorCode::kInfeasible, path_, "no choice keeps the limit"});
    }
    if (Session::interrupted().load()) return static_cast<int>(ErrorCode::kInterrupted);
    return status == SolveStatus::kNoPlan ? static_cast<int>(ErrorCode::kTimeLimit) : 0;
  }

  void Offer(const Choice& choice) {
    const std::lock_guard lock(mutex_);
    best_ = choice;
  }

  const std::string path_;
  const double seconds_;
  const Clock::time_point start_ = Clock::now();
  const Console console_;
  std::mutex mutex_;
  std::condition_variable finished_;
  Choice best_;
  bool done_ = false;
  int status_ = 0;
};

}  // namespace

bool CalledAsIopddl(const char* program) {
  const std::string_view path = program;
  return path.substr(path.rfind('/') + 1) == "iopddl";
}

int RunIopddl(int argc, char** argv) {
  Session::finishes() = true;
  const Console console;
  if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    console.Print(
        "Usage: iopddl FILE SECONDS\nThe same as `metadist solve`, which has more flags.\n");
    return 0;
  }
  if (argc != 3) {
    return console.Fail(Usage(fmt::format("expected FILE and SECONDS, got {} arguments", argc - 1),
                              "iopddl FILE SECONDS"));
  }
  const auto seconds = ParseSeconds(argv[2]);
  if (!seconds.ok()) {
    return console.Fail(
        Usage(fmt::format("expected SECONDS above 0, got '{}'", argv[2]), "iopddl FILE SECONDS"));
  }
  return Contest(argv[1], seconds.value()).Run();
}

}  // namespace metadist::cli
