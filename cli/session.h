// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "metair/ir/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
class Option;
}  // namespace CLI

namespace metadist::cli {

// One run of the program: the flags every command shares, and what the chosen command does.
struct Session {
  Console console;
  std::string command;

  bool json = false;
  bool force = false;
  std::string output;  // -o; empty: stdout
  uint64_t seed = 0;
  int threads = 0;  // 0: all cores

  // Set by the command's Add function; run after all flags are read.
  std::function<Result<void>()> action;
  // Flags and positionals without which the command cannot run.
  std::vector<const CLI::Option*> required;

  // Raised by SIGINT and SIGTERM.
  static std::atomic<bool>& interrupted();

  // {schema: "metadist.<command>", schema_version, tool_version, command, seed}.
  nlohmann::ordered_json Document() const;
  // CheckAbsent of -o.
  Result<void> CheckOutput() const;
  // Writes `text` to -o (or stdout).
  Result<void> Emit(const std::string& text) const;
  // With --json the document, else the text.
  Result<void> EmitResult(const nlohmann::ordered_json& document, const std::string& text) const;
  // The same on stdout, for commands whose -o is something else than the report. Nothing if -o is
  // stdout.
  void Report(const nlohmann::ordered_json& document, const std::string& text) const;
  int thread_count() const;
};

// Flags that every command has: --json -o --force --seed --threads --config --print-config -v -q
// ...
void AddCommonOptions(CLI::App& command, Session& session);

// Refuses a file that exists, unless `force`, before the work instead of after it. "" and "-" are
// none. Errors: kUsage.
Result<void> CheckAbsent(const std::string& path, bool force);

// Writes a file that must not exist yet, unless `force`; "-" is stdout. Errors: kUsage, kBadInput.
Result<void> WriteFile(const std::string& path, const std::string& text, bool force);

}  // namespace metadist::cli
