// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/rules/compose/piece_graph.h"

// The individual recipes; recipe.cc lists them.
namespace metadist {

// SELF: the operator once more on its results on the pieces. Its first output consists of elements
// of the cut input, as many as an integer of the call says; all other outputs are their indices.
std::vector<std::string> SelfRecipes(const RecipeCall& at);
Result<PieceGraph> BuildSelf(const std::string& name, const RecipeCall& at, int64_t ranks);

// SCAN: every element of the output depends on the elements before it. A rank puts in front of its
// piece the operator's result on the totals of all earlier ranks.
std::vector<std::string> ScanRecipes(const RecipeCall& at);
Result<PieceGraph> BuildScan(const std::string& name, const RecipeCall& at, int64_t ranks);
bool IsScan(const std::string& name);

// CARRY: outputs with the types of inputs are those inputs for the next rank, one rank after the
// other.
std::vector<std::string> CarryRecipes(const RecipeCall& at);
Result<PieceGraph> BuildCarry(const std::string& name, const RecipeCall& at, int64_t ranks);

}  // namespace metadist
