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

std::string GapText(int64_t cost, int64_t bound) {
  const std::optional<double> gap = Gap(cost, bound);
  if (!gap) return "gap unknown";
  return fmt::format("gap {:.3g} %", *gap * 100);
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

std::string LimitText(const std::optional<int64_t>& limit) {
  return limit ? fmt::format("limit {}", *limit) : "no limit";
}

std::string StatusText(const Solved& solved) {
  const SolveResult& result = solved.result;
  const std::string_view name = SolveStatusName(result.status);
  const std::string stop = StopText(result.stopped_by);
  switch (result.status) {
    case SolveStatus::kOptimal:
    case SolveStatus::kGap:
      return fmt::format("{}: cost {}, bound {}, {}{}{}",
                         name,
                         result.cost,
                         result.bound,
                         GapText(result.cost, result.bound),
                         result.by_tolerance ? ", proven to the tolerances of CBC" : "",
                         stop);
    case SolveStatus::kHeuristic:
      return fmt::format("{}: cost {}, no bound{}", name, result.cost, stop);
    case SolveStatus::kInfeasible:
      return fmt::format("{}: no choice", name);
    case SolveStatus::kNoPlan:
      return HasBound(result) ? fmt::format("{}: bound {}{}", name, result.bound, stop)
                              : fmt::format("{}{}", name, stop);
  }
  return "";
}

// The document with one more key, whose value is given as text: integers of 128 bits, which the
// library does not have, and lists on one line.
std::string TextWith(Json document, const char* key, const std::string& value) {
  document[key] = nullptr;
  std::string text = document.dump(2);
  const size_t end = text.rfind("null\n}");
  return text.replace(end, 4, value) + "\n";
}

Json SecondsJson(const Solved& solved) {
  Json seconds = {{"read", solved.read_seconds}, {"reduce", 0.0}};
  for (const auto& [phase, spent] : solved.result.seconds) {
    const std::string key(phase);
    seconds[key] = seconds.value(key, 0.0) + spent;
  }
  seconds["total"] = solved.total_seconds;
  return seconds;
}

// What holds most memory at the peak, the largest first.
struct Holder {
  int node = 0;
  int64_t usage = 0;
};
std::vector<Holder> LargestHolders(const Problem& problem,
                                   const Choice& choice,
                                   const Evaluation& worth) {
  constexpr size_t kMost = 5;
  std::vector<Holder> out;
  for (size_t i = 0; i < problem.nodes.size() && worth.peak_time; ++i) {
    Holder holder{static_cast<int>(i)};
    for (const MemoryRow& row : problem.nodes[i].rows) {
      if (row.lo <= *worth.peak_time && *worth.peak_time < row.hi)
        holder.usage += row.usage[choice[i]];
    }
    if (holder.usage > 0) out.push_back(holder);
  }
  std::stable_sort(
      out.begin(), out.end(), [](const Holder& a, const Holder& b) { return a.usage > b.usage; });
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

std::string NodeText(const Problem& problem, int node) {
  return problem.node_names.empty() ? fmt::format("node {}", node) : problem.node_names[node];
}

}  // namespace

bool HasChoice(const SolveResult& result) {
  return result.status != SolveStatus::kInfeasible && result.status != SolveStatus::kNoPlan;
}

std::string SolveJson(const Session& session, const Solved& solved) {
  const SolveResult& result = solved.result;
  const Problem& problem = *solved.problem;
  const bool chosen = HasChoice(result);
  Json document = session.Document();
  document["name"] = problem.name;
  document["solver"] = solved.solver;
  document["status"] = SolveStatusName(result.status);
  document["stopped_by"] =
      result.stopped_by.empty() ? Json() : Json(std::string(result.stopped_by));
  document["cost"] = chosen ? Json(result.cost) : Json();
  document["bound"] = HasBound(result) ? Json(result.bound) : Json();
  document["by_tolerance"] = HasBound(result) ? Json(result.by_tolerance) : Json();
  const std::optional<double> gap =
      chosen && HasBound(result) ? Gap(result.cost, result.bound) : std::nullopt;
  document["gap"] = gap ? Json(*gap) : Json();
  document["peak"] = chosen ? Json(result.peak) : Json();
  document["limit"] = problem.usage_limit ? Json(*problem.usage_limit) : Json();
  if (result.status == SolveStatus::kInfeasible) {
    const bool works = solved.smallest && solved.smallest->feasible;
    document["smallest_limit"] = works ? Json(solved.smallest->peak) : Json();
    document["smallest_limit_bound"] =
        works ? Json(std::max(solved.smallest->bound, result.peak_bound)) : Json();
  }
  document["nodes"] = problem.nodes.size();
  document["edges"] = problem.edges.size();
  document["entries"] = Entries(problem);
  document["reduced"] = {{"nodes", result.reduced.nodes},
                         {"edges", result.reduced.edges},
                         {"entries", result.reduced.entries}};
  document["deletions"] = result.deletions;
  document["work"] = result.work;
  document["seconds"] = SecondsJson(solved);
  std::string choice = WriteChoice(result.choice);
  choice.pop_back();
  return TextWith(document, "choice", choice);
}

std::string SolveText(const Solved& solved) {
  const SolveResult& result = solved.result;
  const Problem& problem = *solved.problem;
  std::string out = fmt::format("{}: {} nodes, {} edges, {} entries, {}\n",
                                problem.name.empty() ? "problem" : problem.name,
                                problem.nodes.size(),
                                problem.edges.size(),
                                Entries(problem),
                                LimitText(problem.usage_limit));
  out += fmt::format("reduced: {} nodes, {} edges, {} entries; {} strategies deleted in all\n",
                     result.reduced.nodes,
                     result.reduced.edges,
                     result.reduced.entries,
                     result.deletions);
  out += StatusText(solved) + "\n";
  if (HasChoice(result)) {
    out += fmt::format("peak: {}, {}\n", result.peak, LimitText(problem.usage_limit));
  }
  out += fmt::format("solver {}, {} work units, {} ({} of it reading)\n",
                     solved.solver,
                     result.work,
                     SecondsText(solved.total_seconds),
                     SecondsText(solved.read_seconds));
  return out + WriteChoice(result.choice);
}

std::string ProgressText(const SolveProgress& progress) {
  const bool bounded = progress.bound > -kForbidden;
  std::string out = fmt::format("{}: ", progress.phase);
  out += progress.has_choice ? fmt::format("best {}", progress.cost) : "no choice yet";
  if (bounded) out += fmt::format(", bound {}", progress.bound);
  if (bounded && progress.has_choice) out += ", " + GapText(progress.cost, progress.bound);
  if (progress.deletions > 0) out += fmt::format(", {} deleted", progress.deletions);
  return out;
}

std::string CheckJson(const Session& session, const Problem& problem, const Choice& choice) {
  const Evaluation worth = Evaluate(problem, choice);
  Json document = session.Document();
  document["name"] = problem.name;
  document["feasible"] = worth.feasible();
  document["forbidden"] = worth.forbidden;
  document["peak"] = worth.peak;
  document["peak_time"] = worth.peak_time ? Json(*worth.peak_time) : Json();
  document["limit"] = problem.usage_limit ? Json(*problem.usage_limit) : Json();
  document["first_violated"] = worth.first_violated ? Json(*worth.first_violated) : Json();
  document["largest"] = Json::array();
  for (const Holder& holder : LargestHolders(problem, choice, worth)) {
    document["largest"].push_back({{"node", holder.node},
                                   {"name", NodeText(problem, holder.node)},
                                   {"strategy", choice[holder.node]},
                                   {"usage", holder.usage}});
  }
  return TextWith(document, "cost", WideText(worth.cost));
}

std::string CheckText(const Problem& problem, const Choice& choice) {
  const Evaluation worth = Evaluate(problem, choice);
  std::string out = fmt::format(
      "{}: cost {}\n", worth.feasible() ? "feasible" : "not feasible", WideText(worth.cost));
  if (worth.forbidden > 0) out += fmt::format("forbidden entries taken: {}\n", worth.forbidden);
  out += fmt::format("peak: {}, {}", worth.peak, LimitText(problem.usage_limit));
  if (worth.peak_time) out += fmt::format(", at time {}", *worth.peak_time);
  if (worth.first_violated)
    out += fmt::format(", first exceeded at time {}", *worth.first_violated);
  out += "\n";
  for (const Holder& holder : LargestHolders(problem, choice, worth)) {
    out += fmt::format("  {} of it: {}, strategy {}\n",
                       holder.usage,
                       NodeText(problem, holder.node),
                       choice[holder.node]);
  }
  return out;
}

}  // namespace metadist::cli
