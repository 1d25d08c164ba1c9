// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "metair/ops/op_table.h"
#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// STEPS: a recurrence as the decompositions of calls on one element each, one after the other, all
// divided by the same factor of such a call.

// The rules of the calls that recipes contain.
struct StepRules {
  const OpTable& ops;
  // The rule of a node, at its own sizes; without factors if nothing is known.
  std::function<Rule(const Graph&, const Node&)> rule;
};
// Rules from discovery. The result points to the arguments.
StepRules RulesBy(const OpTable& ops, const InnerFound& found);

// The call on a single element, as a graph of one node; nullopt if the call has no such form.
std::optional<Graph> SingleStep(const std::string& recipe, const OpCall& call);

// Like BuildRecipe. rules: of the single step and of the nodes of its decomposition. Errors:
// kBadInput if a single step has no factor with these cuts, or if there are too many steps.
Result<PieceGraph> BuildSteps(const std::string& recipe,
                              const RecipeCall& at,
                              int64_t ranks,
                              const StepRules& rules);

}  // namespace metadist
