// SPDX-License-Identifier: Apache-2.0
// Solves a problem in the google/iopddl format: the best choice found, and a proven bound.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "cli/choice_report.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/problem_files.h"
#include "cli/solve_report.h"
#include "cli/values.h"
#include "planner/solvers/problem/problem_io.h"

namespace metadist::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct SolveFlags {
  std::string problem;
  std::string solver = std::string(DefaultSolver().name);
  std::string time_limit;
  std::string work_limit;
  std::string gap = "0";
  std::string initial;
  std::string check;
  std::string names;
};

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds, work units and gap from the flags; reports all problems at once.
Result<SolveOptions> ReadLimits(const Session& session, const SolveFlags& flags) {
  SolveOptions options;
  std::vector<Error> problems;
  const auto take = [&](const char* flag, const std::string& text, auto parse, auto& into) {
    if (text.empty()) return;
    auto value = parse(text).in(flag);
    if (value.ok())
      into = value.value();
    else
      problems.push_back(std::move(value).error());
  };
  take("--time-limit", flags.time_limit, ParseSeconds, options.time_limit_seconds);
  take("--work-limit", flags.work_limit, ParseCount, options.work_limit);
  take("--gap", flags.gap, ParseGap, options.gap);
  if (!problems.empty()) return Join(std::move(problems));
  options.seed = session.seed;
  options.threads = session.thread_count();
  options.interrupted = &Session::interrupted();
  return options;
}

Result<const SolverDef*> ChosenSolver(const std::string& name) {
  const SolverDef* solver = FindSolver(name);
  if (solver != nullptr) return solver;
  return Usage(fmt::format("--solver: expected one of {}, got '{}'", SolverNames(), name));
}

// An error if interrupted or out of time while reading the file.
std::optional<Error> StopNow(Clock::time_point start, double time_limit_seconds) {
  if (Session::interrupted().load()) {
    return Error{.code = ErrorCode::kInterrupted,
                 .message = "interrupted while reading; no choice yet"};
  }
  if (time_limit_seconds > 0 && Since(start) >= time_limit_seconds) {
    return Error{.code = ErrorCode::kTimeLimit, .message = "time limit reached while reading"};
  }
  return std::nullopt;
}

// Seconds left of the time limit, at least a microsecond: a limit of 0 would mean none.
double Left(Clock::time_point start, double time_limit_seconds) {
  return time_limit_seconds > 0 ? std::max(1e-6, time_limit_seconds - Since(start)) : 0;
}

// The smallest feasible limit, if time and work suffice to find it.
Result<std::optional<MinimumPeakResult>> SmallestLimit(const Problem& problem,
                                                       SolveOptions options,
                                                       Clock::time_point start) {
  constexpr int64_t kMostWork = 60 * kWorkPerSecond;
  options.time_limit_seconds = Left(start, options.time_limit_seconds);
  if (options.work_limit == 0) options.work_limit = kMostWork;
  auto smallest = MinimumPeak(problem, options);
  if (smallest.ok()) return std::optional(std::move(smallest).value());
  const ErrorCode code = smallest.error().code;
  if (code != ErrorCode::kTimeLimit && code != ErrorCode::kInterrupted)
    return std::move(smallest).failure();
  return std::optional<MinimumPeakResult>();
}

Error Infeasible(const SolveReport& report) {
  Error error{ErrorCode::kInfeasible};
  if (!report.limit_bound) {
    error.message = "no choice avoids all forbidden pairs";
    return error;
  }
  error.message = fmt::format("no choice keeps the limit of {}", *report.limit);
  const int64_t bound = *report.limit_bound;
  if (!report.working_limit) {
    if (bound > *report.limit) error.message += fmt::format("; no limit below {} works", bound);
    return error;
  }
  const int64_t works = *report.working_limit;
  error.message +=
      bound == works
          ? fmt::format("; the smallest limit that works is {}", works)
          : fmt::format("; a limit of {} is feasible, no limit below {} is", works, bound);
  error.hint = fmt::format("set usage_limit to {} or more", works);
  return error;
}

// Verifies a solver's result with Evaluate.
Result<void> Judge(const Problem& problem, const SolveResult& result) {
  if (!HasChoice(result)) return {};
  const Evaluation worth = Evaluate(problem, result.choice);
  if (worth.feasible() && worth.cost == result.cost && worth.peak == result.peak) return {};
  return Internal(fmt::format("the solver says cost {} and peak {}, its choice has {} and {}{}",
                              result.cost,
                              result.peak,
                              WideText(worth.cost),
                              worth.peak,
                              worth.feasible() ? "" : " and is not feasible"));
}

Result<void> Outcome(const SolveReport& report) {
  const std::string_view stopped_by = report.result.stopped_by;
  if (report.result.status == SolveStatus::kInfeasible) return Infeasible(report);
  const bool interrupted = Session::interrupted().load();
  if (report.result.status == SolveStatus::kNoPlan) {
    if (interrupted)
      return Error{.code = ErrorCode::kInterrupted, .message = "interrupted; no choice yet"};
    return Error{.code = ErrorCode::kTimeLimit,
                 .message = fmt::format("{} limit reached before any choice was found",
                                        stopped_by.empty() ? "a" : stopped_by)};
  }
  if (interrupted && stopped_by == "interrupt") {
    return Error{.code = ErrorCode::kInterrupted,
                 .message = "interrupted; this is the best choice so far"};
  }
  return {};
}

Result<void> CheckChoice(Session& session, const SolveFlags& flags, const Problem& problem) {
  const Choice choice = TRY(LoadChoice(flags.check, problem));
  const ChoiceReport report = ChoiceReportOf(problem, choice);
  TRY(session.Emit(session.json ? ChoiceJson(session, report) : ChoiceText(report)));
  if (report.worth.feasible()) return {};
  return Error{ErrorCode::kMismatch, flags.check, "the choice is not feasible"};
}

// Refuses flags that have no meaning beside, or without, --check.
Result<void> CheckFlags(const SolveFlags& flags) {
  const SolveFlags defaults;
  if (flags.check.empty())
    return flags.names.empty() ? Result<void>() : Usage("--names is for --check only");
  std::vector<std::string_view> given;
  if (flags.solver != defaults.solver) given.push_back("--solver");
  if (flags.gap != defaults.gap) given.push_back("--gap");
  if (flags.work_limit != defaults.work_limit) given.push_back("--work-limit");
  if (!flags.initial.empty()) given.push_back("--initial");
  if (given.empty()) return {};
  return Usage(fmt::format("--check does not solve: omit {}", fmt::join(given, ", ")));
}

Result<void> Solve(Session& session, const SolveFlags& flags) {
  TRY(CheckFlags(flags));
  Session::finishes() = true;
  const Clock::time_point start = Clock::now();
  SolveOptions options = TRY(ReadLimits(session, flags));
  const SolverDef* solver = TRY(ChosenSolver(flags.solver));
  const double time_limit = options.time_limit_seconds;
  ProblemFile file = TRY(LoadProblem(flags.problem, [&] { return StopNow(start, time_limit); }));
  for (const std::string& key : file.unknown_keys) {
    session.console.Warn(fmt::format("{}: {}: unknown key, ignored", flags.problem, key));
  }
  if (!flags.names.empty()) TRY(LoadNames(flags.names, file.problem));
  if (!flags.check.empty()) return CheckChoice(session, flags, file.problem);
  if (!flags.initial.empty()) options.initial = TRY(LoadChoice(flags.initial, file.problem));

  const double read_seconds = Since(start);
  options.time_limit_seconds = Left(start, time_limit);
  options.progress = [&](const SolveProgress& p) { session.console.Step(ProgressText(p)); };
  const SolveResult result = TRY(solver->solve(file.problem, options));
  TRY(Judge(file.problem, result));
  std::optional<MinimumPeakResult> smallest;
  if (result.status == SolveStatus::kInfeasible) {
    session.console.Step("looking for the smallest limit that works");
    options.time_limit_seconds = time_limit;
    smallest = TRY(SmallestLimit(file.problem, options, start));
  }
  const double total_seconds = Since(start);
  SolveReport report = SolveReportOf(file.problem, result, smallest);
  report.solver = solver->name;
  report.read_seconds = read_seconds;
  report.total_seconds = total_seconds;
  session.console.EndSteps();
  if (session.output != "-") {
    session.console.Print(session.json ? SolveJson(session, report) : SolveText(report));
  }
  if (!session.output.empty() && report.cost) {
    TRY(session.Emit(WriteChoice(result.choice)));
  }
  return Outcome(report).in(flags.problem);
}

std::string SolversHelp() {
  std::string out = "Solvers:\n";
  for (const SolverDef* solver : Solvers()) {
    out += fmt::format("  {:<8} {}\n", solver->name, solver->summary);
  }
  return out;
}

}  // namespace

void AddSolve(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("solve", "solve a problem file: the cheapest choice within its limit");
  auto flags = std::make_shared<SolveFlags>();
  const auto add = OptionsOf(*command);
  session.required = {add("PROBLEM FILE", flags->problem, "google/iopddl file, .json or .json.gz")};
  add("--solver NAME", flags->solver, fmt::format("see below (default {})", DefaultSolver().name));
  add("--time-limit T",
      flags->time_limit,
      "stop after this time with the best choice so far, e.g. 30s; includes reading");
  add("--work-limit N",
      flags->work_limit,
      "the same in work units, e.g. 500M: reproducible on every machine");
  add("--gap SHARE", flags->gap, "stop when this close to the bound, e.g. 1% (default 0)");
  add("--initial FILE", flags->initial, "start from this choice, if it is feasible");
  add("--check FILE",
      flags->check,
      "do not solve: report cost and peak of this choice; exit 5 if it is not feasible");
  add("--names FILE",
      flags->names,
      "names of the nodes, as written by `plan --save-problem`, for --check");
  command->footer(
      SolversHelp() +
      "\n-o writes the choice only. Without --json the choice is also the last line on stdout."
      "\n\nExample:\n  metadist solve problem.json.gz --time-limit 30s");
  session.action = [&session, flags] { return Solve(session, *flags); };
}

}  // namespace metadist::cli
