// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>

#include "cli/options.h"
#include "cli/output_file.h"

namespace metadist::cli {

std::atomic<bool>& Session::interrupted() {
  static std::atomic<bool> flag = false;
  return flag;
}

std::atomic<bool>& Session::finishes() {
  static std::atomic<bool> flag = false;
  return flag;
}

namespace {

// Commands that also write a file of another schema; the two documents are distinguished by their
// schema.
bool WritesItsOwn(const std::string& command) {
  return command == "plan" || command == "profile" || command == "rules";
}

// Names that are not UTF-8 (of files) are shown with replacement characters.
std::string Dump(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

nlohmann::ordered_json Session::Document() const {
  return {{"schema", "metadist." + command + (WritesItsOwn(command) ? "_report" : "")},
          {"schema_version", 1},
          {"tool_version", METADIST_VERSION},
          {"command", command},
          {"seed", seed}};
}

Result<void> Session::Emit(const std::string& text) const {
  if (!output.empty()) return WriteFile(output, text, force);
  console.Print(text);
  return {};
}

Result<void> Session::EmitResult(const nlohmann::ordered_json& document,
                                 const std::string& text) const {
  return Emit(json ? Dump(document) : text);
}

void Session::Report(const nlohmann::ordered_json& document, const std::string& text) const {
  if (output != "-") console.Print(json ? Dump(document) : text);
}

int Session::thread_count() const {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void AddCommonOptions(CLI::App& command, Session& session) {
  command.option_defaults()->group("Common");
  const auto add = OptionsOf(command);
  command.add_flag("--json", session.json, "one JSON document on stdout, nothing else there");
  add("-o,--output FILE", session.output, "write the result to FILE (- = stdout)");
  command.add_flag("--force", session.force, "overwrite existing files");
  add("--seed N", session.seed, "seed of all random numbers (default 0)")
      ->check([](const std::string& text) {
        uint64_t seed = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, seed);
        return error == std::errc() && rest == end
                   ? ""
                   : "expected a number from 0 to 2^64 - 1, got " + text;
      })
      ->envname("METADIST_SEED");
  add("--threads N", session.threads, "threads to use (default: all cores)")
      ->check(CLI::Range(0, 4096))
      ->envname("METADIST_THREADS");
  CLI::Option* quiet = command.add_flag_callback(
      "-q,--quiet", [&session] { session.console.verbosity = -1; }, "no logs, only errors");
  command
      .add_flag_function(
          "-v,--verbose",
          [&session](int64_t count) { session.console.verbosity = static_cast<int>(count); },
          "more logs; twice for all")
      ->excludes(quiet);
  command
      .add_option_function<std::string>(
          "--progress",
          [&session](const std::string& how) {
            session.console.progress = how == "plain"  ? Console::Progress::kPlain
                                       : how == "none" ? Console::Progress::kNone
                                                       : Console::Progress::kAuto;
          },
          "auto: on a terminal; plain: one line per step; none (default auto)")
      ->check(CLI::IsMember({"auto", "plain", "none"}))
      ->type_name("HOW")
      ->envname("METADIST_PROGRESS");
  command
      .add_option_function<std::string>(
          "--log-level",
          [&session](const std::string& level) {
            session.console.verbosity = level == "error"    ? -1
                                        : level == "info"   ? 0
                                        : level == "detail" ? 1
                                                            : 2;
          },
          "error, info, detail or debug (default info)")
      ->check(CLI::IsMember({"error", "info", "detail", "debug"}))
      ->type_name("LEVEL")
      ->envname("METADIST_LOG_LEVEL");
  command
      .add_option_function<std::string>(
          "--log-file",
          [&session](const std::string& path) {
            session.console.log_file = std::fopen(path.c_str(), "a");
            if (session.console.log_file == nullptr)
              throw CLI::ValidationError("--log-file", fmt::format("cannot write '{}'", path));
            std::setvbuf(session.console.log_file, nullptr, _IOLBF, BUFSIZ);
          },
          "append all logs to FILE")
      ->type_name("FILE");
}

}  // namespace metadist::cli
