// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// google/iopddl JSON -> Problem; see ReadProblem (problem_stream.h).
Result<Problem> ParseProblem(std::string_view text);

// Problem -> google/iopddl JSON with exactly the fields of that format. Ties become edges. The
// format has one interval per node: every further row becomes an extra node, appended after the
// others and tied to its node by an edge (0 on the diagonal, forbidden elsewhere). A choice of the
// written problem therefore begins with a choice of this one. ParseProblem of the text returns the
// same problem if no node has two rows and nothing is tied.
std::string WriteProblem(const Problem& problem);

// `[0, 0, 2, 1, 0]`, or an object that contains it as `choice` (what `metadist solve --json`
// prints) -> Choice, checked against the problem. With kWhole the only surplus entries allowed are
// those of WriteProblem's extra nodes, which are ignored; with kBeginning any surplus is ignored,
// because the choice belongs to a problem that begins with this one.  Errors: kBadInput.
enum class ChoiceOf { kWhole, kBeginning };
Result<Choice> ParseChoice(std::string_view text,
                           const Problem& problem,
                           ChoiceOf of = ChoiceOf::kWhole);

// `[0, 0, 2, 1, 0]` and a line break.
std::string WriteChoice(const Choice& choice);

// The names of a problem's nodes, for which the problem format has no field: a JSON array of
// strings, for WriteProblem's extra nodes too. A node without a name is written as "node 3".
std::string WriteNodeNames(const Problem& problem);

// Sets problem.node_names; names after the last node (of WriteProblem's extra nodes) are ignored.
// Errors: kBadInput.
Result<void> ReadNodeNames(std::string_view text, Problem& problem);

}  // namespace metadist
