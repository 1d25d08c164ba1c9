// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/shape.h"
#include "planner/rules/factor/rule.h"

// The name of a STEPS recipe (recipe_steps.h), parsed.
namespace metadist {

// Longer sequences are not unrolled.
inline constexpr int64_t kMostSteps = 16;

// "STEPS reversed 0.0>0.0 5<-1 6<-2 4-": one step per element of dim 0 of input 0, from the last to
// the first, into dim 0 of output 0; outputs 1 and 2 are inputs 5 and 6 of the next step; input 4
// holds sequence lengths, which become 1 or 0 in each step.
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

// nullopt for other recipes.
std::optional<StepRecipe> ParseSteps(std::string_view text);

// Name of the STEPS recipe that corresponds to the factor `carry` with a CARRY recipe; nullopt for
// other recipes. lengths: inputs that hold sequence lengths.
std::optional<std::string> StepsAlong(const Factor& carry, const std::vector<int>& lengths = {});
bool IsSteps(const std::string& recipe);
// Whether a call with inputs of these shapes has few enough steps; true for other recipes.
bool StepsFit(const std::string& recipe, const std::vector<Shape>& inputs);

}  // namespace metadist
