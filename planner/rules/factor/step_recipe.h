// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/shape.h"
#include "planner/rules/factor/rule.h"

// What the name of a STEPS recipe (recipe_steps.h) says.
namespace metadist {

// Longer sequences are left alone.
inline constexpr int64_t kMostSteps = 16;

// "STEPS reversed 0.0>0.0 5<-1 6<-2 4-": element by element of dim 0 of input 0, from its end, to
// dim 0 of output 0; outputs 1 and 2 are inputs 5 and 6 of the next step; input 4 says how many
// elements count, for each step 1 or 0.
struct StepRecipe {
  struct Axis {
    int tensor = 0;
    int dim = 0;
  };
  struct LoopState {
    int output = 0;
    int input = 0;
  };

  bool reversed = false;
  Axis given, made;
  std::vector<LoopState> states;
  std::vector<int> lengths;
};

// None for other recipes.
std::optional<StepRecipe> ParseSteps(std::string_view text);

// Name of the recipe, given that of a CARRY and the factor which it is of; none for other recipes.
// lengths: inputs that say how many elements count.
std::optional<std::string> StepsAlong(const Factor& carry, const std::vector<int>& lengths = {});
bool IsSteps(const std::string& recipe);
// Whether a call with inputs of these shapes has few enough elements; true for other recipes.
bool StepsFit(const std::string& recipe, const std::vector<Shape>& inputs);

}  // namespace metadist
