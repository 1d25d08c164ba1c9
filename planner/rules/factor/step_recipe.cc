// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/factor/step_recipe.h"

#include <fmt/format.h>

#include <charconv>

namespace metadist {
namespace {

constexpr std::string_view kSteps = "STEPS ";
constexpr std::string_view kReversed = "reversed ";
constexpr std::string_view kCarry = "CARRY ";

bool Skip(std::string_view& text, std::string_view token) {
  if (text.substr(0, token.size()) != token) return false;
  text.remove_prefix(token.size());
  return true;
}

bool Read(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<StepRecipe> ParseSteps(std::string_view text) {
  StepRecipe out;
  if (!Skip(text, kSteps)) return std::nullopt;
  out.reversed = Skip(text, kReversed);
  const auto axis = [&](StepRecipe::Axis& at) {
    return Read(text, at.tensor) && Skip(text, ".") && Read(text, at.dim);
  };
  if (!axis(out.given) || !Skip(text, ">") || !axis(out.made)) return std::nullopt;
  while (!text.empty()) {
    StepRecipe::LoopState state;
    if (!Skip(text, " ") || !Read(text, state.input)) return std::nullopt;
    if (Skip(text, "-")) {
      out.lengths.push_back(state.input);
      continue;
    }
    if (!Skip(text, "<-") || !Read(text, state.output)) return std::nullopt;
    out.states.push_back(state);
  }
  return out;
}

std::optional<std::string> StepsAlong(const Factor& carry, const std::vector<int>& lengths) {
  std::string_view rest = carry.inner.recipe;
  if (!Skip(rest, kCarry) || carry.inputs.size() != 1 || carry.outputs.size() != 1)
    return std::nullopt;
  const bool reversed = Skip(rest, kReversed);
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

bool IsSteps(const std::string& recipe) { return recipe.substr(0, kSteps.size()) == kSteps; }

bool StepsFit(const std::string& recipe, const std::vector<Shape>& inputs) {
  const auto recurring = ParseSteps(recipe);
  if (!recurring) return true;
  const size_t tensor = static_cast<size_t>(recurring->given.tensor);
  const size_t dim = static_cast<size_t>(recurring->given.dim);
  return tensor < inputs.size() && dim < inputs[tensor].size() && inputs[tensor][dim] <= kMostSteps;
}

}  // namespace metadist
