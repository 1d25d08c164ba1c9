// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"
#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/compose/recipe_steps.h"
#include "planner/rules/factor/rule.h"

// Recipes: ways to join an operator's results on pieces by running the operator itself once more,
// for operators without a decomposition.
namespace metadist {

// The names of the recipes that this call's shapes allow for these cuts. Cuts are contiguous and of
// whole dims; at.outputs: the outputs that must be made in pieces.
std::vector<std::string> RecipesFor(const RecipeCall& at);

// The graph of a factor with this recipe (InnerUse::recipe) on `ranks` ranks. rules: of other
// calls, for recipes that contain them (recipe_steps.h). Errors: kBadInput if the call does not
// have the form that the recipe needs, or there is no such recipe.
Result<PieceGraph> BuildRecipe(const std::string& recipe,
                               const RecipeCall& at,
                               int64_t ranks,
                               const StepRules& rules);

}  // namespace metadist
