// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "metair/ir/result.h"

namespace metadist::cli {

// Where the program prints: results on stdout, everything else on stderr.
class Console {
 public:
  enum class Progress { kAuto, kPlain, kNone };

  int verbosity = 0;  // -1 quiet, 0, 1 (-v), 2 (-vv)
  Progress progress = Progress::kAuto;
  std::FILE* log_file = nullptr;  // copies of all logs, whatever the verbosity
  std::string speaker;            // before each error: "[rank 3] " of a process among several

  // A result, verbatim.
  void Print(const std::string& text) const;
  // "metadist: text", unless quiet; Detail and Debug from -v and -vv.
  void Log(const std::string& text) const;
  void Detail(const std::string& text) const;
  void Debug(const std::string& text) const;
  // Unless quiet.
  void Warn(const std::string& text) const;
  // All joined problems, up to twenty; the log file gets the same.
  void Fail(const Error& error) const;
  // A line that the next one replaces on a terminal; nothing otherwise, or a line each with kPlain.
  void Step(const std::string& text);
  void EndSteps();
  // Closes the log file. Errors: kInternal where not all logs have arrived there.
  Result<void> CloseLog();

 private:
  void Write(int level, const std::string& text) const;

  bool step_open_ = false;
};

}  // namespace metadist::cli
