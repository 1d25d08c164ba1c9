// SPDX-License-Identifier: Apache-2.0
#include "cli/solve_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/format.h"
#include "planner/solvers/problem/problem_io.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

// (cost - bound) / |cost|; none if it is not finite.
std::optional<double> Gap(int64_t cost, int64_t bound) {
  if (cost == bound) return 0;
  if (cost == 0) return std::nullopt;
  return (static_cast<double>(cost) - static_cast<double>(bound)) /
         std::abs(static_cast<double>(cost));
}

bool HasBound(const SolveResult& result) {
  return result.status != SolveStatus::kHeuristic && result.status != SolveStatus::kInfeasible &&
         result.bound > -kForbidden;
}

int64_t Entries(const Problem& problem) {
  int64_t entries = 0;
  for (const ProblemEdge& edge : problem.edges) entries += static_cast<int64_t>(edge.costs->size());
  return entries;
}

// For an infeasible problem: the limits that would be feasible.
void SetLimits(const std::optional<MinimumPeakResult>& smallest, SolveReport& out) {
  if (!out.limit || (smallest && !smallest->feasible)) return;
  out.limit_bound = out.result.peak_bound;
  if (!smallest) return;
  out.working_limit = smallest->peak;
  out.limit_bound = std::max(smallest->bound, out.result.peak_bound);
}

std::string GapText(const std::optional<double>& gap) {
  return gap ? fmt::format("gap {:.3g} %", *gap * 100) : "gap unknown";
}

std::string StatusText(const SolveReport& report) {
  const std::string_view name = SolveStatusName(report.result.status);
  const std::string stop = StopText(report.result.stopped_by);
  switch (report.result.status) {
    case SolveStatus::kOptimal:
    case SolveStatus::kGap:
      if (!report.bound) return fmt::format("{}: cost {}, no bound{}", name, *report.cost, stop);
      return fmt::format("{}: cost {}, bound {}, {}{}{}",
                         name,
                         *report.cost,
                         *report.bound,
                         GapText(report.gap),
                         report.result.by_tolerance ? ", proven to the tolerances of CBC" : "",
                         stop);
    case SolveStatus::kHeuristic:
      return fmt::format("{}: cost {}, no bound{}", name, *report.cost, stop);
    case SolveStatus::kInfeasible:
      return fmt::format("{}: no choice", name);
    case SolveStatus::kNoPlan:
      return report.bound ? fmt::format("{}: bound {}{}", name, *report.bound, stop)
                          : fmt::format("{}{}", name, stop);
  }
  return "";
}

Json SecondsJson(const SolveReport& report) {
  Json seconds = {{"read", report.read_seconds}, {"reduce", 0.0}};
  for (const auto& [phase, spent] : report.result.seconds) seconds[std::string(phase)] = spent;
  seconds["total"] = report.total_seconds;
  return seconds;
}

}  // namespace

std::string LimitText(const std::optional<int64_t>& limit) {
  return limit ? fmt::format("limit {}", *limit) : "no limit";
}

std::string TextWith(nlohmann::ordered_json document, const char* key, const std::string& value) {
  document[key] = nullptr;
  std::string text = document.dump(2);
  const size_t end = text.rfind("null\n}");
  return text.replace(end, 4, value) + "\n";
}

bool HasChoice(const SolveResult& result) {
  return result.status != SolveStatus::kInfeasible && result.status != SolveStatus::kNoPlan;
}

SolveReport SolveReportOf(const Problem& problem,
                          const SolveResult& result,
                          const std::optional<MinimumPeakResult>& smallest) {
  SolveReport out;
  out.name = problem.name;
  out.result = result;
  out.limit = problem.usage_limit;
  if (HasChoice(result)) {
    out.cost = result.cost;
    out.peak = result.peak;
  }
  if (HasBound(result)) out.bound = result.bound;
  if (out.cost && out.bound) out.gap = Gap(*out.cost, *out.bound);
  if (result.status == SolveStatus::kInfeasible) SetLimits(smallest, out);
  out.nodes = static_cast<int64_t>(problem.nodes.size());
  out.edges = static_cast<int64_t>(problem.edges.size());
  out.entries = Entries(problem);
  return out;
}

std::string SolveJson(const Session& session, const SolveReport& report) {
  const SolveResult& result = report.result;
  Json document = session.Document();
  document["name"] = report.name;
  document["solver"] = report.solver;
  document["status"] = SolveStatusName(result.status);
  document["stopped_by"] = result.stopped_by.empty() ? Json() : Json(result.stopped_by);
  document["cost"] = OrNull(report.cost);
  document["bound"] = OrNull(report.bound);
  document["by_tolerance"] = report.bound ? Json(result.by_tolerance) : Json();
  document["gap"] = OrNull(report.gap);
  document["peak"] = OrNull(report.peak);
  document["limit"] = OrNull(report.limit);
  if (result.status == SolveStatus::kInfeasible) {
    document["smallest_limit"] = OrNull(report.working_limit);
    document["smallest_limit_bound"] = report.working_limit ? OrNull(report.limit_bound) : Json();
  }
  document["nodes"] = report.nodes;
  document["edges"] = report.edges;
  document["entries"] = report.entries;
  document["reduced"] = {{"nodes", result.reduced.nodes},
                         {"edges", result.reduced.edges},
                         {"entries", result.reduced.entries}};
  document["deletions"] = result.deletions;
  document["work"] = result.work;
  document["seconds"] = SecondsJson(report);
  std::string choice = WriteChoice(result.choice);
  choice.pop_back();
  return TextWith(document, "choice", choice);
}

std::string SolveText(const SolveReport& report) {
  std::string out = fmt::format("{}: {} nodes, {} edges, {} entries, {}\n",
                                report.name.empty() ? "problem" : report.name,
                                report.nodes,
                                report.edges,
                                report.entries,
                                LimitText(report.limit));
  out += fmt::format("reduced: {} nodes, {} edges, {} entries; {} strategies deleted in total\n",
                     report.result.reduced.nodes,
                     report.result.reduced.edges,
                     report.result.reduced.entries,
                     report.result.deletions);
  out += StatusText(report) + "\n";
  if (report.peak) out += fmt::format("peak: {}, {}\n", *report.peak, LimitText(report.limit));
  out += fmt::format("solver {}, {} work units, {} (reading {})\n",
                     report.solver,
                     report.result.work,
                     SecondsText(report.total_seconds),
                     SecondsText(report.read_seconds));
  return out + WriteChoice(report.result.choice);
}

std::string ProgressText(const SolveProgress& progress) {
  const bool bounded = progress.bound > -kForbidden;
  std::string out = fmt::format("{}: ", progress.phase);
  out += progress.has_choice ? fmt::format("best {}", progress.cost) : "no choice yet";
  if (bounded) out += fmt::format(", bound {}", progress.bound);
  if (bounded && progress.has_choice) out += ", " + GapText(Gap(progress.cost, progress.bound));
  if (progress.deletions > 0) out += fmt::format(", {} deleted", progress.deletions);
  return out;
}

}  // namespace metadist::cli
