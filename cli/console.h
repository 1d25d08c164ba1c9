// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "metair/ir/result.h"

namespace metadist::cli {

// Output of the program: results on stdout, everything else on stderr.
class Console {
 public:
  enum class Progress { kAuto, kPlain, kNone };

  int verbosity = 0;  // -1 quiet, 0, 1 (-v), 2 (-vv)
  Progress progress = Progress::kAuto;
  std::FILE* log_file = nullptr;  // receives all logs, whatever the verbosity
  std::string speaker;            // printed before each line of an error: "[rank 3] " for one of
                                  // several processes

  Console();

  // Prints a result, verbatim.
  void Print(const std::string& text) const;
  // Prints "metadist: text" unless quiet; Detail with -v, Debug with -vv.
  void Log(const std::string& text) const;
  void Detail(const std::string& text) const;
  void Debug(const std::string& text) const;
  // Prints a warning unless quiet.
  void Warn(const std::string& text) const;
  // Prints all joined problems, up to twenty, also to the log file. Returns the exit status.
  int Fail(const Error& error) const;
  // On a terminal, a line that the next one replaces; otherwise nothing, or one line each with
  // kPlain.
  void Step(const std::string& text);
  void EndSteps();
  // Closes the log file. Errors: kInternal if logs could not be written completely.
  Result<void> CloseLog();

 private:
  void Write(int level, const std::string& text) const;

  bool step_open_ = false;
};

}  // namespace metadist::cli
