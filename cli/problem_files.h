// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "metair/ir/result.h"
#include "planner/solvers/problem/problem_io.h"
#include "planner/solvers/problem/problem_stream.h"

// Files of problems, choices and node names, plain or gzip.
namespace metadist::cli {

// Called for every piece read; returns an error if reading must stop.
using StopReading = std::function<std::optional<Error>()>;

// Errors: kUsage if the file cannot be read, kBadInput for its content, with the path as place;
// those of `stop`.
Result<ProblemFile> LoadProblem(const std::string& path, const StopReading& stop);

// A choice for that problem, in the forms that ParseChoice accepts. Errors as above.
Result<Choice> LoadChoice(const std::string& path,
                          const Problem& problem,
                          ChoiceOf of = ChoiceOf::kWhole);

// Sets problem.node_names. Errors as above.
Result<void> LoadNames(const std::string& path, Problem& problem);

// Writes the problem, compressed if the name ends in .gz. Errors: those of WriteFile.
Result<void> SaveProblem(const std::string& path, const Problem& problem, bool force);

// The file of a problem's node names: p.names.json for p.json and p.json.gz.
std::string NamesPath(const std::string& problem_path);

}  // namespace metadist::cli
