// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/factor/step_recipe.h"

#include <fmt/format.h>

#include "metair/ir/text_prefix.h"

namespace metadist {
namespace {

constexpr std::string_view kSteps = "STEPS ";
constexpr std::string_view kReversed = "reversed ";
constexpr std::string_view kCarry = "CARRY ";

bool Read(std::string_view& text, int& number) {
  number = TakeNumber<int>(text).value_or(-1);
  return number >= 0;
}

}  // namespace

std::optional<StepRecipe> ParseSteps(std::string_view text) {
  StepRecipe out;
  if (!SkipPrefix(text, kSteps)) return std::nullopt;
  out.reversed = SkipPrefix(text, kReversed);
  const auto axis = [&](StepRecipe::Axis& at) {
    return Read(text, at.tensor) && SkipPrefix(text, ".") && Read(text, at.dim);
  };
  if (!axis(out.given) || !SkipPrefix(text, ">") || !axis(out.made)) return std::nullopt;
  while (!text.empty()) {
    StepRecipe::LoopState state;
    if (!SkipPrefix(text, " ") || !Read(text, state.input)) return std::nullopt;
    if (SkipPrefix(text, "-")) {
      out.lengths.push_back(state.input);
      continue;
    }
    if (!SkipPrefix(text, "<-") || !Read(text, state.output)) return std::nullopt;
    out.states.push_back(state);
  }
  return out;
}

std::optional<std::string> StepsAlong(const Factor& carry, const std::vector<int>& lengths) {
  std::string_view rest = carry.inner.recipe;
  if (!SkipPrefix(rest, kCarry) || carry.inputs.size() != 1 || carry.outputs.size() != 1)
    return std::nullopt;
  const bool reversed = SkipPrefix(rest, kReversed);
  std::string recipe = fmt::format("{}{}{}.{}>{}.{} {}",
                                   kSteps,
                                   reversed ? kReversed : "",
                                   carry.inputs[0].tensor,
                                   carry.inputs[0].dim,
                                   carry.outputs[0].tensor,
                                   carry.outputs[0].dim,
                                   rest);
  for (const int input : lengths) recipe += fmt::format(" {}-", input);
  return recipe;
}

bool IsSteps(const std::string& recipe) { return recipe.starts_with(kSteps); }

bool StepsFit(const std::string& recipe, const std::vector<Shape>& inputs) {
  const auto recurring = ParseSteps(recipe);
  if (!recurring) return true;
  const size_t tensor = static_cast<size_t>(recurring->given.tensor);
  const size_t dim = static_cast<size_t>(recurring->given.dim);
  return tensor < inputs.size() && dim < inputs[tensor].size() && inputs[tensor][dim] <= kMostSteps;
}

}  // namespace metadist
