// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "metair/ir/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
class Option;
}  // namespace CLI

namespace metadist {
class Messenger;
}

namespace metadist::cli {

// One run of the program: the flags every command shares, and what the chosen command does.
struct Session {
  Console console;
  std::string command;

  bool json = false;
  bool force = false;
  std::string output;  // -o; empty: stdout
  // Whether -o is refused before the command runs where WriteFile would refuse it.
  bool checks_output = true;
  uint64_t seed = 0;
  int threads = 0;  // 0: all cores
  // Those that run a program with this one; left when everything is said.
  std::shared_ptr<Messenger> processes;

  // Set by the command's Add function; run after all flags are read.
  std::function<Result<void>()> action;
  // Flags and positionals without which the command cannot run.
  std::vector<const CLI::Option*> required;

  // Raised by SIGINT and SIGTERM.
  static std::atomic<bool>& interrupted();
  // Whether there is something to say or to write once the command is interrupted: the best plan so
  // far, the rows that were measured. Where there is not, a signal ends the program at once.
  static std::atomic<bool>& finishes();

  // {schema: "metadist.<command>", schema_version, tool_version, command, seed}; the schema of a
  // report of plan, profile and rules, whose -o has one of its own, ends in "_report".
  nlohmann::ordered_json Document() const;
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

}  // namespace metadist::cli
