// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "planner/solvers/problem/json_scanner.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

struct ProblemFile {
  Problem problem;
  // Paths of the first twenty keys unknown to the format; they were skipped.
  std::vector<std::string> unknown_keys;
};

// google/iopddl JSON -> Problem, in one pass, using the memory of the problem itself, in which
// equal matrices are stored once. Keys may come in any order. Edges with one end are added to their
// node's costs. Errors: kBadInput naming the field (`problem.edges.costs[3]`), all errors of one
// stage at once; for invalid JSON with line and byte. Errors of the source are returned unchanged.
Result<ProblemFile> ReadProblem(ByteSource source);

}  // namespace metadist
