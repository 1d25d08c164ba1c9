// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"
#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/compose/recipe_steps.h"
#include "planner/rules/factor/rule.h"

// Recipes: ways to join what an operator makes of pieces by running the operator itself once more,
// for operators that nobody has decomposed.
namespace metadist {

// The recipes that this call's shapes allow when it is cut so, by name. Cuts are of whole dims, in
// one run; of outputs, those that must come out in pieces.
std::vector<std::string> RecipesFor(const OpCall& call,
                                    const std::vector<Cut>& inputs,
                                    const std::vector<Cut>& outputs);

// What a factor of this recipe (InnerUse::recipe) does on so many ranks. rules: of other calls, for
// recipes that are written with them (recipe_steps.h). Errors: kBadInput where the call is not of a
// form that can be joined so, or the name is none of a recipe.
Result<PieceGraph> BuildRecipe(const std::string& recipe,
                               const OpCall& call,
                               const std::vector<Cut>& inputs,
                               const std::vector<Cut>& outputs,
                               int64_t ranks,
                               const StepRules& rules);

}  // namespace metadist
