// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/rules/compose/piece_graph.h"

// The single recipes; recipe.cc lists them.
namespace metadist {

// A call and how it is cut, as RecipesFor takes it.
struct RecipeCall {
  const OpCall& call;
  const std::vector<Cut>& inputs;
  const std::vector<Cut>& outputs;
};

// SELF: the operator once more on what it made of the pieces. Its first output is made of elements
// of the input that is cut, as many as an integer of the call says; all others are their indices.
std::vector<std::string> SelfRecipes(const RecipeCall& at);
Result<PieceGraph> BuildSelf(const std::string& name, const RecipeCall& at, int64_t ranks);

// SCAN: every element of the output depends on those before it. A rank puts before its piece what
// the operator makes of all earlier ranks' last results.
std::vector<std::string> ScanRecipes(const RecipeCall& at);
Result<PieceGraph> BuildScan(const std::string& name, const RecipeCall& at, int64_t ranks);
bool IsScan(const std::string& name);

// CARRY: outputs that are shaped like inputs are those inputs for the next rank, one rank after the
// other.
std::vector<std::string> CarryRecipes(const RecipeCall& at);
Result<PieceGraph> BuildCarry(const std::string& name, const RecipeCall& at, int64_t ranks);

}  // namespace metadist
