// SPDX-License-Identifier: Apache-2.0
#include "executor/bind_data.h"

#include <fmt/format.h>

namespace metadist {
namespace {

std::string_view KindText(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInput:
      return "input";
    case ValueKind::kParameter:
      return "parameter";
    default:
      return "constant";
  }
}

std::string PlaceText(const Value& value) {
  return fmt::format("{} '{}'", KindText(value.kind), value.name);
}

void ReportUnknown(const Graph& graph,
                   const NamedTensors& given,
                   bool inputs,
                   std::vector<Error>& problems) {
  for (const auto& [name, tensor] : given) {
    const ValueId id = graph.FindValue(name);
    const bool fits = id != kNone && (graph.value(id).kind == ValueKind::kInput) == inputs &&
                      graph.value(id).kind != ValueKind::kResult;
    if (!fits)
      problems.push_back(BadInput(fmt::format("{} '{}'", inputs ? "input" : "parameter", name),
                                  "the model has none of that name"));
  }
}

}  // namespace

Result<std::vector<Tensor>> BindData(const Graph& graph,
                                     const NamedTensors& weights,
                                     const NamedTensors& inputs,
                                     const RunOptions& options) {
  const OpTable& ops = options.ops != nullptr ? *options.ops : OpTable::BuiltIn();
  NamedTensors random_inputs;
  NamedTensors random_weights;
  if (options.random_inputs) random_inputs = RandomInputs(graph, options.seed, ops);
  if (options.random_weights) random_weights = RandomWeights(graph, options.seed, ops);
  std::vector<Error> problems;
  ReportUnknown(graph, weights, /*inputs=*/false, problems);
  ReportUnknown(graph, inputs, /*inputs=*/true, problems);
  std::vector<Tensor> whole(graph.values.size());
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.kind == ValueKind::kResult) continue;
    const bool input = value.kind == ValueKind::kInput;
    const NamedTensors& given = input ? inputs : weights;
    const NamedTensors& random = input ? random_inputs : random_weights;
    if (const auto found = given.find(value.name); found != given.end())
      whole[v] = found->second;
    else if (value.data.has_data())
      whole[v] = value.data;
    else if (const auto drawn = random.find(value.name); drawn != random.end())
      whole[v] = drawn->second;
    if (!whole[v].has_data())
      problems.push_back(BadInput(
          PlaceText(value),
          fmt::format("elements must be given, got none for {}", TypeText(value.type)),
          input ? "give it with --input, or let `run` draw it" : "run with --random-weights"));
    else if (whole[v].type() != value.type)
      problems.push_back(BadInput(
          PlaceText(value),
          fmt::format("must be {}, got {}", TypeText(value.type), TypeText(whole[v].type()))));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return whole;
}

Result<std::vector<std::vector<Transfer>>> PlanAllTransfers(const Program& program) {
  const Stage& stage = program.stages[0];
  std::vector<std::vector<Transfer>> transfers(stage.graph.nodes.size());
  for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
    const Node& node = stage.graph.nodes[n];
    if (!CollectiveOf(node)) continue;
    const CollectiveStep step = StepOf(stage, program.mesh, static_cast<NodeId>(n));
    auto planned = PlanTransfers(step, stage.graph.value(node.inputs[0]).type, program.mesh);
    if (!planned.ok())
      return std::move(planned).error().in(fmt::format("node '{}' ({})", node.name, node.op));
    transfers[n] = std::move(planned).value();
  }
  return transfers;
}

}  // namespace metadist
