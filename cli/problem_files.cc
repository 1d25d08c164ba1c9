// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_files.h"

#include "cli/output_file.h"
#include "importers/arrays/gzip_reader.h"
#include "planner/solvers/problem/problem_io.h"

namespace metadist::cli {
namespace {

// Reads a whole file; for small ones.
Result<std::string> LoadText(const std::string& path) {
  GzipReader file = TRY(GzipReader::Open(path));
  std::string text;
  std::string piece(size_t{1} << 16, '\0');
  while (true) {
    const size_t count = TRY(file.Read(piece));
    if (count == 0) return text;
    text.append(piece, 0, count);
  }
}

}  // namespace

Result<ProblemFile> LoadProblem(const std::string& path, const StopReading& stop) {
  GzipReader file = TRY(GzipReader::Open(path));
  bool of_file = false;  // true if the error already has a place
  auto read = ReadProblem([&](std::span<char> into) -> Result<size_t> {
    std::optional<Error> stopped = stop();
    of_file = true;
    if (stopped) return std::move(*stopped).in(path);
    auto count = file.Read(into);
    of_file = !count.ok();
    return count;
  });
  return of_file ? std::move(read) : std::move(read).in(path);
}

Result<Choice> LoadChoice(const std::string& path, const Problem& problem, ChoiceOf of) {
  return ParseChoice(TRY(LoadText(path)), problem, of).in(path);
}

Result<void> LoadNames(const std::string& path, Problem& problem) {
  return ReadNodeNames(TRY(LoadText(path)), problem).in(path);
}

Result<void> SaveProblem(const std::string& path, const Problem& problem, bool force) {
  const std::string text = WriteProblem(problem);
  return WriteFile(path, path.ends_with(".gz") ? Gzip(text) : text, force);
}

std::string NamesPath(const std::string& problem_path) {
  std::string stem = problem_path;
  for (const char* end : {".gz", ".json"}) {
    if (stem.ends_with(end)) stem.resize(stem.size() - std::string(end).size());
  }
  return stem + ".names.json";
}

}  // namespace metadist::cli
