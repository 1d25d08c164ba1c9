// SPDX-License-Identifier: Apache-2.0
#include "cli/choice_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/solve_report.h"

namespace metadist::cli {
namespace {

constexpr size_t kMostHolders = 5;

std::vector<ChoiceReport::Holder> HoldersAtPeak(const Problem& problem,
                                                const Choice& choice,
                                                const Evaluation& worth) {
  std::vector<ChoiceReport::Holder> out;
  for (size_t i = 0; i < problem.nodes.size() && worth.peak_time; ++i) {
    ChoiceReport::Holder holder;
    holder.node = static_cast<int>(i);
    holder.name = problem.node_names.empty() ? fmt::format("node {}", i) : problem.node_names[i];
    holder.strategy = choice[i];
    for (const MemoryRow& row : problem.nodes[i].rows) {
      if (row.lo <= *worth.peak_time && *worth.peak_time < row.hi)
        holder.usage += row.usage[choice[i]];
    }
    if (holder.usage > 0) out.push_back(std::move(holder));
  }
  std::stable_sort(
      out.begin(), out.end(), [](const auto& a, const auto& b) { return a.usage > b.usage; });
  if (out.size() > kMostHolders) out.resize(kMostHolders);
  return out;
}

}  // namespace

ChoiceReport ChoiceReportOf(const Problem& problem, const Choice& choice) {
  ChoiceReport out;
  out.name = problem.name;
  out.worth = Evaluate(problem, choice);
  out.limit = problem.usage_limit;
  out.largest = HoldersAtPeak(problem, choice, out.worth);
  return out;
}

std::string ChoiceJson(const Session& session, const ChoiceReport& report) {
  const Evaluation& worth = report.worth;
  nlohmann::ordered_json document = session.Document();
  document["name"] = report.name;
  document["feasible"] = worth.feasible();
  document["forbidden"] = worth.forbidden;
  document["peak"] = worth.peak;
  document["peak_time"] = OrNull(worth.peak_time);
  document["limit"] = OrNull(report.limit);
  document["first_violated"] = OrNull(worth.first_violated);
  document["largest"] = nlohmann::ordered_json::array();
  for (const ChoiceReport::Holder& holder : report.largest) {
    document["largest"].push_back({{"node", holder.node},
                                   {"name", holder.name},
                                   {"strategy", holder.strategy},
                                   {"usage", holder.usage}});
  }
  return TextWith(document, "cost", WideText(worth.cost));
}

std::string ChoiceText(const ChoiceReport& report) {
  const Evaluation& worth = report.worth;
  std::string out = fmt::format(
      "{}: cost {}\n", worth.feasible() ? "feasible" : "not feasible", WideText(worth.cost));
  if (worth.forbidden > 0) out += fmt::format("forbidden entries taken: {}\n", worth.forbidden);
  out += fmt::format("peak: {}, {}", worth.peak, LimitText(report.limit));
  if (worth.peak_time) out += fmt::format(", at time {}", *worth.peak_time);
  if (worth.first_violated)
    out += fmt::format(", first exceeded at time {}", *worth.first_violated);
  out += "\n";
  for (const ChoiceReport::Holder& holder : report.largest) {
    out +=
        fmt::format("  {} held by {}, strategy {}\n", holder.usage, holder.name, holder.strategy);
  }
  return out;
}

}  // namespace metadist::cli
