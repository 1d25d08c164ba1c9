// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
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

// One run of the program: the flags shared by all commands, and the action of the chosen command.
struct Session {
  Console console;
  std::string command;

  bool json = false;
  bool force = false;
  std::string output;  // -o; empty: stdout
  // True if -o is checked before the command runs, so that a path that WriteFile would refuse is
  // refused early.
  bool checks_output = true;
  uint64_t seed = 0;
  int threads = 0;  // 0: all cores
  // The processes that run a program together with this one; released when all output is printed.
  std::shared_ptr<Messenger> processes;

  // Set by the command's Add function; called after all flags are parsed.
  std::function<Result<void>()> action;
  // Flags and positionals required by the command.
  std::vector<const CLI::Option*> required;

  // Set by SIGINT and SIGTERM.
  static std::atomic<bool>& interrupted();
  // True if an interrupted command has something to print or write: the best plan so far, or the
  // rows measured so far. If not, a signal ends the program at once.
  static std::atomic<bool>& finishes();

  // {schema: "metadist.<command>", schema_version, tool_version, command, seed}. plan, profile and
  // rules write -o in a schema of its own, so the schema of their report ends in "_report".
  nlohmann::ordered_json Document() const;
  // Writes `text` to -o (or stdout).
  Result<void> Emit(const std::string& text) const;
  // Writes the document with --json, else the text.
  Result<void> EmitResult(const nlohmann::ordered_json& document, const std::string& text) const;
  // The same on stdout, for commands whose -o is not the report. Writes nothing if -o is stdout.
  void Report(const nlohmann::ordered_json& document, const std::string& text) const;
  int thread_count() const;
};

// A value of a document; null if there is none.
template <typename T, typename Json = nlohmann::ordered_json>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// Flags of every command: --json -o --force --seed --threads --config --print-config -v -q ...
// Options that are declared later are shown with them in the help.
void AddCommonOptions(CLI::App& command, Session& session);

}  // namespace metadist::cli
