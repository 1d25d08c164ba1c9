// SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cpu_profile.h"
#include "cli/format.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<RunReport::Check> CheckOf(const RunOutcome& outcome) {
  RunReport::Check check;
  std::vector<std::string> all;
  const auto add = [&](const std::string& name, const Comparison& comparison) {
    all.push_back(name);
    (comparison.passed ? check.equal_to : check.differs_from).push_back(name);
  };
  if (outcome.compares_one_device) add("one device", outcome.one_device);
  if (!outcome.expected_file.empty()) add(outcome.expected_file, outcome.expected);
  if (all.empty()) return std::nullopt;
  check.passed = outcome.passed();
  check.max_abs_error = std::max(outcome.one_device.max_abs_error, outcome.expected.max_abs_error);
  check.max_rel_error = std::max(outcome.one_device.max_rel_error, outcome.expected.max_rel_error);
  check.tolerance = outcome.tolerance;
  for (const auto& [name, movement] : outcome.moved)
    check.roundings_move = std::max(check.roundings_move, movement);
  check.compared_with = fmt::format("{}", fmt::join(all, " and "));
  return check;
}

Json CheckJson(const RunReport::Check& check) {
  return {{"passed", check.passed},
          {"max_abs_error", check.max_abs_error},
          {"max_rel_error", check.max_rel_error},
          {"compared_with", check.compared_with},
          {"equal_to", check.equal_to},
          {"differs_from", check.differs_from},
          {"tolerance",
           {{"type", check.tolerance.type},
            {"relative", check.tolerance.relative},
            {"roundings_move", check.roundings_move}}}};
}

// The result of all comparisons: "equal to one device, differs from FILE".
std::string VerdictText(const RunReport::Check& check) {
  if (check.passed) return fmt::format("PASSED: equal to {}", check.compared_with);
  return fmt::format("FAILED: differs from {}{}{}",
                     fmt::join(check.differs_from, " and "),
                     check.equal_to.empty() ? "" : ", equal to ",
                     fmt::join(check.equal_to, " and "));
}

std::string RunCheckText(const RunReport& report) {
  if (!report.check) return "  not compared\n";
  const RunReport::Check& check = *report.check;
  const Tolerance& tolerance = check.tolerance;
  std::string text = fmt::format("  {}, largest error {:.2g} (relative {:.2g}",
                                 VerdictText(check),
                                 check.max_abs_error,
                                 check.max_rel_error);
  if (!tolerance.type.empty())
    text += fmt::format(", allowed {:g} % for {}", tolerance.relative * 100, tolerance.type);
  if (check.roundings_move > 0)
    text += fmt::format("; rounding alone moves outputs by {:.2g}", check.roundings_move);
  return text + ")\n";
}

// What the measured figures were measured on, where predictions are for something else.
std::string MeasuredText(const RunReport& report) {
  if (report.elsewhere.empty()) return "measured";
  return report.backend == "mpi" ? "measured on processes" : "measured on threads here";
}

}  // namespace

RunReport RunReportOf(const RunFlags& flags, const Job& job, const RunOutcome& outcome) {
  const RunResult& run = outcome.run;
  RunReport out;
  out.name = job.name;
  out.ranks = job.ranks();
  out.mesh = job.mesh();
  out.backend = flags.backend;
  out.check = CheckOf(outcome);
  out.median_seconds = run.median_seconds;
  out.p10_seconds = run.p10_seconds;
  out.p90_seconds = run.p90_seconds;
  out.quiet_seconds = run.quiet_seconds;
  out.min_seconds = *std::min_element(run.step_seconds.begin(), run.step_seconds.end());
  out.iterations = static_cast<int64_t>(run.step_seconds.size());
  out.peak_bytes = run.peak_bytes;
  if (job.plan.has_value()) {
    if (!CpuRanks(job.plan->origin.cluster)) out.elsewhere = job.plan->origin.cluster;
    out.predicted_seconds = job.plan->prediction.step.seconds;
    out.predicted_peak_bytes = job.plan->peak_bytes();
    out.overlaps = !job.plan->order.empty();
    out.predicted_overlap = {job.plan->prediction.overlap.exposed_seconds,
                             job.plan->prediction.overlap.hidden_seconds};
  }
  out.overlap = run.overlap;
  out.scalars = outcome.scalars;
  out.collectives = run.collectives;
  out.reference_kernels = run.reference_ops;
  return out;
}

Json RunJson(const Session& session, const RunReport& report) {
  Json document = session.Document();
  document["check"] = report.check ? CheckJson(*report.check) : Json();
  document["ranks"] = report.ranks;
  document["mesh"] = report.mesh;
  document["backend"] = report.backend;
  document["seconds"] = {{"median", report.median_seconds},
                         {"p10", report.p10_seconds},
                         {"p90", report.p90_seconds},
                         {"quiet", report.quiet_seconds},
                         {"min", report.min_seconds},
                         {"iterations", report.iterations}};
  document["predicted_seconds"] = OrNull(report.predicted_seconds);
  document["peak_bytes"] = {{"predicted", OrNull(report.predicted_peak_bytes)},
                            {"measured", report.peak_bytes}};
  if (report.overlaps)
    document["overlap"] = {
        {"streams", report.overlap ? 2 : 1},
        {"exposed_seconds",
         {{"predicted", report.predicted_overlap.exposed_seconds},
          {"measured", report.overlap ? Json(report.overlap->exposed_seconds) : Json()}}},
        {"hidden_seconds",
         {{"predicted", report.predicted_overlap.hidden_seconds},
          {"measured", report.overlap ? Json(report.overlap->hidden_seconds) : Json()}}}};
  document["baseline"] = nullptr;
  if (report.baseline)
    document["baseline"] = {{"file", report.baseline->file},
                            {"max_regress", report.baseline->max_regress},
                            {"passed", report.baseline->passed}};
  document["scalars"] = Json::object();
  for (const auto& [name, values] : report.scalars) document["scalars"][name] = values;
  document["collectives"] = Json::object();
  for (const auto& [kind, count] : report.collectives)
    document["collectives"][kind] = {{"count", count.count}, {"bytes", count.bytes}};
  document["reference_kernels"] = report.reference_kernels;
  return document;
}

std::string RunText(const RunReport& report) {
  std::string text = fmt::format("{} on {} {}\n",
                                 report.name,
                                 report.ranks,
                                 report.ranks == 1         ? "rank"
                                 : report.backend == "mpi" ? "MPI ranks"
                                                           : "thread ranks");
  const bool elsewhere = !report.elsewhere.empty();
  Table table({{""},
               {elsewhere ? "predicted on " + report.elsewhere : "predicted", true},
               {MeasuredText(report), true}});
  table.Add({"step",
             report.predicted_seconds ? SecondsText(*report.predicted_seconds) : "-",
             SecondsText(report.median_seconds)});
  const auto add_overlap = [&](const char* name, double OverlapTimes::* part) {
    table.Add({name,
               SecondsText(report.predicted_overlap.*part),
               report.overlap ? SecondsText((*report.overlap).*part) : "-"});
  };
  if (report.overlaps) {
    add_overlap("communication exposed", &OverlapTimes::exposed_seconds);
    add_overlap("communication hidden", &OverlapTimes::hidden_seconds);
  }
  table.Add({"memory per rank",
             report.predicted_peak_bytes ? BytesText(*report.predicted_peak_bytes) : "-",
             BytesText(report.peak_bytes)});
  text += table.text();
  if (report.overlaps && !report.overlap)
    text += "  one stream a rank: collectives ran in order with the nodes (--streams)\n";
  for (const auto& [name, values] : report.scalars)
    text += values.size() == 1 ? fmt::format("  {} {:.6g}\n", name, values[0])
                               : fmt::format("  {} {:.6g}, after {} steps {:.6g}\n",
                                             name,
                                             values.front(),
                                             values.size(),
                                             values.back());
  text += RunCheckText(report);
  if (report.baseline)
    text += fmt::format("  {} {:g} % of {}\n",
                        report.baseline->passed ? "within" : "SLOWER: not within",
                        report.baseline->max_regress * 100,
                        report.baseline->file);
  return text;
}

}  // namespace metadist::cli
