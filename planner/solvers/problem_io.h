// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "planner/solvers/problem.h"

namespace metadist {

// google/iopddl JSON -> Problem. One-ended edges are added to their node's costs; edges with more
// than two ends are refused. Equal matrices are stored once.
// Errors: kBadInput naming the field (`problem.edges.costs[3]`), all problems of a kind at once.
Result<Problem> ParseProblem(std::string_view text);

// Problem -> google/iopddl JSON, strict: the fields of the format only. Ties become edges. The
// format has one interval per node: further rows become nodes of their own behind the others, tied
// to theirs by an edge (0 on the diagonal, forbidden elsewhere), so a choice of the written problem
// begins with a choice of this one. ParseProblem of the text gives the same problem back if no node
// has two rows and nothing is tied.
std::string WriteProblem(const Problem& problem);

// `[0, 0, 2, 1, 0]` -> Choice, checked against the problem; further entries (WriteProblem's extra
// nodes) are ignored if `problem` had to be extended.  Errors: kBadInput.
Result<Choice> ParseChoice(std::string_view text, const Problem& problem);

// `[0, 0, 2, 1, 0]` and a line break.
std::string WriteChoice(const Choice& choice);

}  // namespace metadist
