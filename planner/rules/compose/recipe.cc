// SPDX-License-Identifier: Apache-2.0
// Operators that cannot be cut along a dim and have no decomposition.
//
// Which of them can join their own results is found like everything else: the shapes of a call
// decide which recipes are possible, and running it divided and whole shows which of these hold
// (kernel_only.h). A recipe is built for a number of ranks, as a graph of calls on pieces
// (piece_graph.h), so that planning, lowering and running treat it like any graph; exchanges are
// ordinary redistributions of its values.
#include "planner/rules/compose/recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/rules/compose/recipe_forms.h"
#include "planner/rules/factor/step_recipe.h"

namespace metadist {
namespace {

struct Recipe {
  std::vector<std::string> (*names)(const RecipeCall& at);
  Result<PieceGraph> (*build)(const std::string& name, const RecipeCall& at, int64_t ranks);
};

constexpr Recipe kRecipes[] = {
    {SelfRecipes, BuildSelf}, {ScanRecipes, BuildScan}, {CarryRecipes, BuildCarry}};

bool InOneRun(const Cut& cut) {
  return cut.repeat == 1 && cut.parts.size() == 1 && cut.parts[0].unit == 1 && cut.halo.empty() &&
         !cut.spare;
}

bool Usable(const RecipeCall& at) {
  return std::ranges::all_of(at.inputs, InOneRun) && std::ranges::all_of(at.outputs, InOneRun);
}

}  // namespace

std::vector<std::string> RecipesFor(const RecipeCall& at) {
  std::vector<std::string> all;
  if (at.inputs.empty() || !Usable(at)) return all;
  for (const Recipe& recipe : kRecipes)
    for (std::string& name : recipe.names(at)) all.push_back(std::move(name));
  return all;
}

Result<PieceGraph> BuildRecipe(const std::string& recipe,
                               const RecipeCall& at,
                               int64_t ranks,
                               const StepRules& rules) {
  if (IsSteps(recipe)) return BuildSteps(recipe, at, ranks, rules);
  if (Usable(at))
    for (const Recipe& one : kRecipes)
      for (const std::string& name : one.names(at))
        if (name == recipe) return one.build(name, at, ranks);
  return BadInput("", fmt::format("recipe '{}' does not fit the call", recipe));
}

}  // namespace metadist
