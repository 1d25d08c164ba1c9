// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "planner/solvers/problem/json_scanner.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

struct ProblemFile {
  Problem problem;
  // Paths of keys that the format does not know, the first twenty; they were passed over.
  std::vector<std::string> unknown_keys;
};

// google/iopddl JSON -> Problem, in one pass: memory is that of the problem, where equal matrices
// are stored once. Keys may come in any order. One-ended edges are added to their node's costs.
// Errors: kBadInput naming the field (`problem.edges.costs[3]`), all problems of a kind at once; of
// text that is no JSON also line and byte. The source's own, as they are.
Result<ProblemFile> ReadProblem(ByteSource source);

}  // namespace metadist
