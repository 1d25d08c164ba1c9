// SPDX-License-Identifier: Apache-2.0
#include "cli/states.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "importers/arrays/npz.h"

namespace metadist::cli {
namespace {

NamedTensors& PlaceOf(States& states, const Value& value) {
  return value.kind == ValueKind::kParameter ? states.parameters : states.inputs;
}

// Names a few of many.
void AddProblem(const std::string& path,
                const char* problem,
                const std::vector<std::string>& names,
                std::vector<Error>& problems) {
  constexpr size_t kShown = 3;
  if (names.empty()) return;
  const std::vector<std::string> some(names.begin(),
                                      names.begin() + std::min(kShown, names.size()));
  problems.push_back(BadInput(path,
                              fmt::format("{} ({}): {}{}",
                                          problem,
                                          names.size(),
                                          fmt::join(some, ", "),
                                          names.size() > kShown ? ", ..." : "")));
}

}  // namespace

States StatesAfter(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& outputs) {
  const std::map<std::string, Tensor> made(outputs.begin(), outputs.end());
  States out;
  for (const StatePair& pair : graph.state) {
    if (pair.sums) continue;
    const auto found = made.find(graph.value(pair.output).name);
    if (found == made.end()) continue;
    const Value& value = graph.value(pair.input);
    PlaceOf(out, value)[value.name] = found->second;
  }
  return out;
}

Result<States> ReadStates(const std::string& path, const Graph& graph) {
  if (graph.state.empty())
    return Usage("--load-state: the model has no state", "give --train, or a plan that trains");
  NamedTensors arrays = TRY(ReadArrays(path));
  States out;
  std::vector<std::string> missing, different, unknown;
  for (const StatePair& pair : graph.state) {
    if (pair.sums) continue;
    const Value& value = graph.value(pair.input);
    const auto found = arrays.find(value.name);
    if (found == arrays.end()) {
      missing.push_back(value.name);
      continue;
    }
    Tensor tensor = FromBits(std::move(found->second), value.type.element);
    if (tensor.type() != value.type)
      different.push_back(fmt::format(
          "{} ({}, not {})", value.name, TypeText(tensor.type()), TypeText(value.type)));
    PlaceOf(out, value)[value.name] = std::move(tensor);
    arrays.erase(found);
  }
  for (const auto& [name, tensor] : arrays) unknown.push_back(name);
  std::vector<Error> problems;
  AddProblem(path, "states that are missing", missing, problems);
  AddProblem(path, "states of another type", different, problems);
  AddProblem(path, "arrays that are no states of the model", unknown, problems);
  if (problems.empty()) return out;
  problems[0].hint = "this is the state of another model, or of another optimizer";
  return Join(std::move(problems));
}

std::string StateBytes(const States& states) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const NamedTensors* some : {&states.parameters, &states.inputs})
    arrays.insert(arrays.end(), some->begin(), some->end());
  return NpzBytes(arrays);
}

}  // namespace metadist::cli
