// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// google/iopddl JSON -> Problem, as ReadProblem (problem_stream.h) does it.
Result<Problem> ParseProblem(std::string_view text);

// Problem -> google/iopddl JSON, strict: the fields of the format only. Ties become edges. The
// format has one interval per node: further rows become nodes of their own behind the others, tied
// to theirs by an edge (0 on the diagonal, forbidden elsewhere), so a choice of the written problem
// begins with a choice of this one. ParseProblem of the text gives the same problem back if no node
// has two rows and nothing is tied.
std::string WriteProblem(const Problem& problem);

// `[0, 0, 2, 1, 0]`, or an object that has it under `choice` (what `metadist solve --json` prints)
// -> Choice, checked against the problem. More entries than nodes: those of WriteProblem's extra
// nodes are ignored; with kBeginning any are, as the choice is of a problem that begins with this
// one.  Errors: kBadInput.
enum class ChoiceOf { kWhole, kBeginning };
Result<Choice> ParseChoice(std::string_view text,
                           const Problem& problem,
                           ChoiceOf of = ChoiceOf::kWhole);

// `[0, 0, 2, 1, 0]` and a line break.
std::string WriteChoice(const Choice& choice);

// The names of a problem's nodes, which its own format has no place for: a JSON array of strings.
// Nodes without a name are called "node 3".
std::string WriteNodeNames(const Problem& problem);

// Sets problem.node_names; names behind the last node (of WriteProblem's extra nodes) are ignored.
// Errors: kBadInput.
Result<void> ReadNodeNames(std::string_view text, Problem& problem);

}  // namespace metadist
