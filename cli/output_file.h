// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"

namespace metadist::cli {

// Refuses before the work what WriteFile would refuse after it: an existing file, unless `force`, a
// folder, or a path in a folder that does not exist. "" and "-" are not files. Errors: kUsage.
Result<void> CheckWritable(const std::string& path, bool force);

// A file that a command reads or writes, and the flag that names it.
struct NamedFile {
  std::string flag;
  std::string path;
};
// Refuses two flags that name one file, of which only the later text would remain. "" and "-" are
// not files, and pipes and devices accept both texts. Errors: kUsage.
Result<void> CheckDistinct(const std::vector<NamedFile>& files);

// Writes a file completely or not at all; "-" is stdout. The text is first written to a temporary
// file beside it, which is then renamed. An existing file needs `force`; it keeps its permissions,
// and a symbolic link to it stays a link. A pipe or a character device is written to directly.
// Errors: those of CheckWritable; kInternal if writing fails, with a hint that names the temporary
// file that has the text instead.
Result<void> WriteFile(const std::string& path, std::string_view text, bool force);

// Joins all errors among the results.
Result<void> JoinAll(std::vector<Result<void>> results);

// Prints to stdout. Failed writes are reported by FlushStdout.
void PrintStdout(std::string_view text);
// Call after everything is printed. If the reader has closed the pipe, SIGPIPE ends the program as
// usual. Errors: kInternal.
Result<void> FlushStdout();

}  // namespace metadist::cli
