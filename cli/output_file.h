// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"

namespace metadist::cli {

// Refuses, before the work instead of after it, what WriteFile would refuse: a file that exists,
// unless `force`, a folder, a path in a folder that does not exist. "" and "-" are no files.
// Errors: kUsage.
Result<void> CheckWritable(const std::string& path, bool force);

// A file that a command reads or writes, and what names it.
struct NamedFile {
  std::string flag;
  std::string path;
};
// Refuses two names of one file, of which only the later text would stay. "" and "-" are no
// files, and pipes and devices take both texts. Errors: kUsage.
Result<void> CheckDistinct(const std::vector<NamedFile>& files);

// Writes a file whole or not at all; "-" is stdout. What is written first has a name of its own
// beside the file, which is then renamed. An existing file needs `force`; it keeps its permissions,
// and a symbolic link to it stays a link. A pipe or a character device is written to as it is.
// Errors: those of CheckWritable; kInternal where writing fails, with a hint that names the
// temporary file that has the text instead.
Result<void> WriteFile(const std::string& path, std::string_view text, bool force);

// All of the results that are errors, as one.
Result<void> JoinAll(std::vector<Result<void>> results);

// What is printed on stdout. A text that does not arrive is told by FlushStdout.
void PrintStdout(std::string_view text);
// To be called once all is printed. A reader that has gone away ends the program by SIGPIPE, as it
// ends others. Errors: kInternal.
Result<void> FlushStdout();

}  // namespace metadist::cli
