// SPDX-License-Identifier: Apache-2.0
// Runs the ONNX project's test cases, on one device and split in every discovered way.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/conformance_case.h"
#include "cli/format.h"
#include "cli/isolate.h"
#include "cli/options.h"
#include "cli/values.h"
#include "metair/ir/glob.h"

namespace metadist::cli {
namespace {

using Status = CaseOutcome::Status;

struct ConformanceFlags {
  std::string folder;
  std::string ranks = "1";
  std::string filter;
  std::string seconds = "120s";
  std::string memory = "8GiB";
};

struct Counts {
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t unsupported = 0;
  int64_t sharded_runs = 0;
  int64_t sharded_passed = 0;

  void Add(const CaseOutcome& outcome) {
    passed += outcome.status == Status::kPassed ? 1 : 0;
    failed += outcome.status == Status::kFailed ? 1 : 0;
    unsupported += outcome.status == Status::kUnsupported ? 1 : 0;
    sharded_runs += outcome.sharded_runs;
    sharded_passed += outcome.sharded_passed;
  }
  nlohmann::ordered_json Json() const {
    return {{"passed", passed},
            {"failed", failed},
            {"unsupported", unsupported},
            {"sharded",
             {{"runs", sharded_runs},
              {"passed", sharded_passed},
              {"failed", sharded_runs - sharded_passed}}}};
  }
};

struct Report {
  std::vector<OnnxCase> cases;
  std::vector<std::string> subjects;  // by case
  std::vector<CaseOutcome> outcomes;  // by case
  bool sharded = false;

  Counts Total() const {
    Counts total;
    for (const CaseOutcome& outcome : outcomes) total.Add(outcome);
    return total;
  }
  std::map<std::string, Counts> ByOperator() const {
    std::map<std::string, Counts> counts;
    for (size_t i = 0; i < cases.size(); ++i) counts[subjects[i]].Add(outcomes[i]);
    return counts;
  }
  std::map<std::string, int64_t> Reasons(Status status) const {
    std::map<std::string, int64_t> reasons;
    for (const CaseOutcome& outcome : outcomes)
      if (outcome.status == status) ++reasons[outcome.reason];
    return reasons;
  }
};

const char* StatusName(Status status) {
  switch (status) {
    case Status::kPassed:
      return "passed";
    case Status::kFailed:
      return "failed";
    case Status::kUnsupported:
      return "unsupported";
  }
  CHECK(false, "unknown status");
}

bool Chosen(const std::string& filter, const std::string& name) {
  if (filter.empty()) return true;
  if (filter.find_first_of("*?") == std::string::npos) return name.find(filter) != name.npos;
  return GlobFits(filter, name) || GlobFits(filter, name.substr(name.rfind('/') + 1));
}

Result<std::vector<int>> ParseRanks(const std::string& text) {
  std::vector<int> ranks;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = text.find(',', at);
    const auto count = ParseCount(text.substr(at, end == std::string::npos ? end : end - at));
    if (!count.ok() || count.value() < 1 || count.value() > 64)
      return Usage(fmt::format("--ranks '{}': expected numbers from 1 to 64, as 1,2,4", text));
    ranks.push_back(static_cast<int>(count.value()));
    at = end == std::string::npos ? end : end + 1;
  }
  return ranks;
}

nlohmann::ordered_json CaseJson(const Report& report, size_t i) {
  const CaseOutcome& outcome = report.outcomes[i];
  nlohmann::ordered_json json = {{"name", report.cases[i].name},
                                 {"operator", report.subjects[i]},
                                 {"status", StatusName(outcome.status)}};
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  json["constants"] = outcome.constants;
  if (!report.sharded) return json;
  json["sharded"] = {{"runs", outcome.sharded_runs}, {"passed", outcome.sharded_passed}};
  if (!outcome.sharded_failures.empty()) json["sharded"]["failures"] = outcome.sharded_failures;
  return json;
}

nlohmann::ordered_json ReportJson(const Session& session, const Report& report) {
  nlohmann::ordered_json document = session.Document();
  document.update(report.Total().Json());
  document["missing"] = report.Reasons(Status::kUnsupported);
  document["operators"] = nlohmann::ordered_json::object();
  for (const auto& [op, counts] : report.ByOperator()) document["operators"][op] = counts.Json();
  document["cases"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < report.cases.size(); ++i) document["cases"].push_back(CaseJson(report, i));
  return document;
}

std::string OperatorTable(const Report& report) {
  std::vector<Table::Column> columns = {
      {"operator"}, {"passed", true}, {"failed", true}, {"unsupported", true}};
  if (report.sharded) columns.insert(columns.end(), {{"sharded runs", true}, {"failed", true}});
  Table table(columns);
  const auto text = [](int64_t count) { return count == 0 ? "." : std::to_string(count); };
  for (const auto& [op, counts] : report.ByOperator()) {
    std::vector<std::string> cells = {
        op, text(counts.passed), text(counts.failed), text(counts.unsupported)};
    if (report.sharded) {
      cells.push_back(text(counts.sharded_runs));
      cells.push_back(text(counts.sharded_runs - counts.sharded_passed));
    }
    table.Add(std::move(cells));
  }
  return table.text(0);
}

std::string FailureText(const Report& report) {
  std::string text;
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const CaseOutcome& outcome = report.outcomes[i];
    if (outcome.status == Status::kFailed)
      text += fmt::format("failed: {}: {}\n", report.cases[i].name, outcome.reason);
    for (const std::string& failure : outcome.sharded_failures)
      text += fmt::format("failed: {}: {}\n", report.cases[i].name, failure);
  }
  return text;
}

std::string ReasonsText(const char* label, const std::map<std::string, int64_t>& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons)
    text += fmt::format("{}: {} ({})\n", label, reason, count);
  return text;
}

std::string ReportText(const Report& report) {
  const Counts total = report.Total();
  std::string text = OperatorTable(report) + "\n";
  text += ReasonsText("unsupported", report.Reasons(Status::kUnsupported));
  text += FailureText(report);
  text += fmt::format(
      "{} passed, {} failed, {} unsupported\n", total.passed, total.failed, total.unsupported);
  if (report.sharded)
    text += fmt::format("sharded: {} runs, {} passed, {} failed\n",
                        total.sharded_runs,
                        total.sharded_passed,
                        total.sharded_runs - total.sharded_passed);
  return text;
}

// A cluster of H100s for each number of ranks except 1; prices do not affect any result.
Result<std::vector<Cluster>> ClustersOf(const std::vector<int>& ranks) {
  std::vector<Cluster> clusters;
  const auto profile = TRY(BuiltinProfile("h100"));
  for (const int count : ranks)
    if (count > 1)
      clusters.push_back(MakeCluster(fmt::format("{}xh100", count), profile, 1, count));
  return clusters;
}

Result<Report> RunCases(Session& session, const ConformanceFlags& flags) {
  RuleBook rules(OpTable::BuiltIn());
  const CaseSetting setting = {TRY(ClustersOf(TRY(ParseRanks(flags.ranks)))), &rules};
  IsolateLimits limits;
  limits.seconds = TRY(ParseSeconds(flags.seconds).in("--case-seconds"));
  limits.memory_bytes = TRY(ParseBytes(flags.memory).in("--case-memory"));
  limits.processes = session.thread_count();
  limits.interrupted = &Session::interrupted();
  Report report;
  report.sharded = !setting.clusters.empty();
  for (OnnxCase& one : TRY(FindOnnxCases(flags.folder))) {
    if (!Chosen(flags.filter, one.name)) continue;
    const auto subject = SubjectOf(one);
    report.subjects.push_back(!subject.ok()             ? "(unreadable)"
                              : subject.value().empty() ? "(several)"
                                                        : subject.value());
    report.cases.push_back(std::move(one));
  }
  if (report.cases.empty())
    return Usage(fmt::format("no case matches --filter '{}'", flags.filter),
                 "a case has the name of its folder, e.g. node/test_add; * and ? are wildcards");
  report.outcomes.resize(report.cases.size());
  size_t ready = 0;
  TRY(RunIsolated(
      report.cases.size(),
      limits,
      [&](size_t i) { return OutcomeText(RunCase(report.cases[i], setting)); },
      [&](size_t i, const Result<std::string>& text) {
        if (text.ok())
          report.outcomes[i] = ParseOutcome(text.value());
        else
          report.outcomes[i].reason = text.error().message;
        session.console.Step(fmt::format("{} of {} cases", ++ready, report.cases.size()));
      }));
  session.console.EndSteps();
  return report;
}

Result<void> Conformance(Session& session, const ConformanceFlags& flags) {
  const Report report = TRY(RunCases(session, flags));
  TRY(session.EmitResult(ReportJson(session, report), ReportText(report)));
  const Counts total = report.Total();
  const int64_t split = total.sharded_runs - total.sharded_passed;
  if (total.failed == 0 && split == 0) return {};
  std::string message = fmt::format("{} of {} cases failed", total.failed, report.cases.size());
  if (report.sharded)
    message += fmt::format(", and {} of {} sharded runs", split, total.sharded_runs);
  return Error{.code = ErrorCode::kMismatch, .message = message};
}

}  // namespace

void AddConformance(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "conformance", "run the ONNX project's test cases, on one device and sharded");
  auto flags = std::make_shared<ConformanceFlags>();
  const auto add = OptionsOf(*command);
  session.required.push_back(add("--onnx-data DIR",
                                 flags->folder,
                                 "the cases: onnx/backend/test/data of the Python package onnx"));
  add("--ranks N,N,...",
      flags->ranks,
      "numbers of ranks: 1 runs every case on one device, any other number under every "
      "strategy of its nodes (default 1)");
  add("--filter PATTERN",
      flags->filter,
      "only cases of this name, e.g. node/test_add or test_ad?_*; without * and ?, "
      "all whose name contains the text");
  add("--case-seconds TIME", flags->seconds, "time limit per case (default 120s)");
  add("--case-memory BYTES", flags->memory, "memory limit per case (default 8GiB)");
  command->footer(
      "An element may differ by the case's own tolerance (rtol 1e-3, atol 1e-7 where it names "
      "none)\n"
      "and by one unit in the last place of the largest element that is expected (f32 and f64).\n\n"
      "Example:\n  metadist conformance --onnx-data site-packages/onnx/backend/test/data --ranks "
      "1,2,4");
  session.action = [&session, flags] { return Conformance(session, *flags); };
}

}  // namespace metadist::cli
