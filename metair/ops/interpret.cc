// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metair/ops/call_check.h"

namespace metadist {
namespace {

Result<std::vector<Tensor>> StartingValues(const Graph& graph, std::span<const Tensor> inputs) {
  if (inputs.size() != graph.inputs.size())
    return BadInput("",
                    fmt::format("expected {} inputs, got {}", graph.inputs.size(), inputs.size()));
  std::vector<Error> problems;
  std::vector<Tensor> values(graph.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs[i]);
    if (inputs[i].type() != value.type)
      problems.push_back(BadInput(
          fmt::format("input '{}'", value.name),
          fmt::format("expected {}, got {}", TypeText(value.type), TypeText(inputs[i].type()))));
    else if (!inputs[i].has_data())
      problems.push_back(
          BadInput(fmt::format("input '{}'", value.name), "its elements are absent"));
    values[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  }
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.kind != ValueKind::kParameter && value.kind != ValueKind::kConstant) continue;
    values[v] = value.data;
    if (!uses[v].empty() && !value.data.has_data())
      problems.push_back(BadInput(fmt::format("'{}'", value.name), "its weights are absent"));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return values;
}

// The position of the last node that reads each value; the number of nodes for graph outputs.
std::vector<NodeId> LastUses(const Graph& graph) {
  std::vector<NodeId> last(graph.values.size(), kNone);
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  for (size_t v = 0; v < uses.size(); ++v)
    for (const Use& use : uses[v])
      last[v] =
          std::max(last[v], use.node == kNone ? static_cast<NodeId>(graph.nodes.size()) : use.node);
  return last;
}

}  // namespace

Result<std::vector<Tensor>> Interpret(const Graph& graph,
                                      const OpTable& ops,
                                      std::span<const Tensor> inputs) {
  std::vector<Tensor> values = TRY(StartingValues(graph, inputs));
  const std::vector<NodeId> last = LastUses(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const std::string where = fmt::format("node '{}' ({})", node.name, node.op);
    const OpDef* op = ops.Find(node);
    if (op == nullptr || op->reference == nullptr)
      return Usage(where + ": the operator has no kernel");
    const std::vector<ValueId> reads = ReadsOf(node);
    std::vector<Tensor> arguments(reads.size());
    for (size_t i = 0; i < reads.size(); ++i)
      if (reads[i] != kNone) arguments[i] = values[static_cast<size_t>(reads[i])];
    auto results = Evaluate(CallOf(*op, graph, node), arguments);
    if (!results.ok()) return std::move(results).error().in(where);
    for (size_t i = 0; i < node.outputs.size() && i < results.value().size(); ++i)
      if (node.outputs[i] != kNone)
        values[static_cast<size_t>(node.outputs[i])] = std::move(results.value()[i]);
    for (ValueId input : reads)
      if (input != kNone && last[static_cast<size_t>(input)] == static_cast<NodeId>(n))
        values[static_cast<size_t>(input)] = Tensor();
  }
  std::vector<Tensor> outputs;
  for (ValueId id : graph.outputs) outputs.push_back(values[static_cast<size_t>(id)]);
  return outputs;
}

}  // namespace metadist
