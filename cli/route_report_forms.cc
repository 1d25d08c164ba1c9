// SPDX-License-Identifier: Apache-2.0
// The JSON and text forms of a redistribution's report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/format.h"
#include "cli/route_report.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

Json EndJson(const RouteReport::End& end) {
  return {{"sharding", end.sharding},
          {"local_shape", end.local},
          {"elements", end.elements},
          {"imbalance", end.imbalance},
          {"waste", end.waste}};
}

Json PairOfSeconds(const std::optional<double>& predicted, const std::optional<double>& measured) {
  return {{"predicted", OrNull(predicted)}, {"measured", OrNull(measured)}};
}

Json StepJson(const RouteReport::Step& step) {
  return {{"op", std::string(Name(step.kind))},
          {"dim", step.dims},
          {"axes", step.axes},
          {"group", step.group},
          {"to", step.to},
          {"elements", step.elements},
          {"received", step.received},
          {"seconds", PairOfSeconds(step.predicted_seconds, step.measured_seconds)}};
}

Json RouteCheckJson(const RouteReport& report) {
  const RouteCheck& check = *report.check;
  return {{"passed", check.passed},
          {"ranks", report.ranks},
          {"how", check.threads ? "threads" : "in turn"},
          {"wrong_ranks", check.wrong_ranks},
          {"elements", check.elements},
          {"peak_elements", check.peak_elements}};
}

std::string ElementsText(int64_t elements) {
  return elements == 1 ? "1 element" : fmt::format("{} elements", elements);
}

std::string EndText(const char* name, const RouteReport::End& end) {
  std::string out =
      fmt::format("  {:<5} {}: {} per rank, {} ({})",
                  name,
                  end.sharding,
                  end.local.empty() ? "scalar" : fmt::format("{}", fmt::join(end.local, "x")),
                  ElementsText(end.elements),
                  BytesText(end.bytes));
  if (end.waste > 0) out += fmt::format(", {} padding", PercentText(end.waste));
  if (end.imbalance > 1)
    out += fmt::format(", the fullest rank {:.3g} times the mean", end.imbalance);
  return out + "\n";
}

std::string StepTable(const RouteReport& report) {
  if (report.steps.empty()) return "  nothing to do: both shardings place it the same way\n";
  const bool priced = report.predicted_seconds.has_value();
  const bool measured = report.measured_seconds.has_value();
  std::vector<Table::Column> columns = {{"step"},
                                        {"dim"},
                                        {"axes"},
                                        {"group", true},
                                        {"becomes"},
                                        {"elements", true},
                                        {"received", true}};
  if (priced) columns.push_back({"predicted", true});
  if (measured) columns.push_back({"measured", true});
  Table table(std::move(columns));
  for (const RouteReport::Step& step : report.steps) {
    const char* between = step.kind == CollectiveKind::kAllToAll ? ">" : ",";
    std::vector<std::string> cells = {
        std::string(Name(step.kind)),
        step.dims.empty() ? "-" : fmt::format("{}", fmt::join(step.dims, between)),
        fmt::format("{}", fmt::join(step.axes, ",")),
        std::to_string(step.group),
        step.to,
        std::to_string(step.elements),
        std::to_string(step.received)};
    if (priced) cells.push_back(SecondsText(*step.predicted_seconds));
    if (measured) cells.push_back(SecondsText(*step.measured_seconds));
    table.Add(std::move(cells));
  }
  return table.text();
}

std::string TotalsText(const RouteReport& report) {
  const bool kept = report.bound_kept();
  std::string out = fmt::format("  received {} ({})",
                                ElementsText(report.received_elements),
                                BytesText(report.received_bytes));
  if (report.predicted_seconds)
    out += fmt::format(", predicted {} (+-{:.0f} %)",
                       SecondsText(*report.predicted_seconds),
                       report.predicted_band * 100);
  if (report.measured_seconds)
    out += fmt::format(", measured {}", SecondsText(*report.measured_seconds));
  out += fmt::format("\n  memory   at most {}, {} the larger end's {}: bound {}",
                     ElementsText(report.peak_elements),
                     kept ? "within" : "above",
                     report.bound_elements,
                     kept ? "kept" : "NOT kept");
  if (report.both_elements > 0)
    out += fmt::format("; {} with both arrays of a step", report.both_elements);
  return out + "\n";
}

std::string RouteCheckText(const RouteReport& report) {
  if (!report.check) return "";
  const RouteCheck& check = *report.check;
  const std::string how =
      fmt::format("on {} {}", report.ranks, check.threads ? "thread ranks" : "ranks in turn");
  if (check.passed)
    return fmt::format("  PASSED {}: every rank's data equals direct placement, at most {}\n",
                       how,
                       ElementsText(check.peak_elements));
  if (check.wrong_ranks.empty())
    return fmt::format("  FAILED {}: a rank holds {}\n", how, ElementsText(check.peak_elements));
  return fmt::format("  FAILED {}: {} ranks hold something else\n", how, check.wrong_ranks.size());
}

}  // namespace

Json RouteJson(const Session& session, const RouteReport& report) {
  Json out = session.Document();
  out["mesh"] = report.mesh;
  out["dtype"] = std::string(Name(report.type.element));
  out["shape"] = report.type.shape;
  out["moved_shape"] = report.moved_shape;
  out["algo"] = report.algo;
  out["ends"] = {{"from", EndJson(report.from)}, {"to", EndJson(report.to)}};
  out["steps"] = Json::array();
  for (const RouteReport::Step& step : report.steps) out["steps"].push_back(StepJson(step));
  out["peak_elements"] = report.peak_elements;
  out["bound_elements"] = report.bound_elements;
  out["bound_kept"] = report.bound_kept();
  out["both_elements"] = report.both_elements;
  out["received_elements"] = report.received_elements;
  out["seconds"] = {{"planning", report.planning_seconds}};
  out["seconds"].update(PairOfSeconds(report.predicted_seconds, report.measured_seconds));
  out["check"] = report.check ? RouteCheckJson(report) : Json();
  return out;
}

std::string RouteText(const RouteReport& report) {
  std::string out = fmt::format("{} on {} by {}", TypeText(report.type), report.mesh, report.algo);
  if (report.moved_shape != report.type.shape)
    out += fmt::format(", padded to {}", ShapeText(report.moved_shape));
  out += fmt::format(" (planned in {})\n", SecondsText(report.planning_seconds));
  out += EndText("from", report.from) + EndText("to", report.to) + "\n" + StepTable(report) + "\n" +
         TotalsText(report) + RouteCheckText(report);
  return report.picture.empty() ? out : out + "\n" + report.picture;
}

}  // namespace metadist::cli
