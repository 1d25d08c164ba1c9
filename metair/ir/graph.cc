// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/graph.h"

#include <utility>

namespace metadist {

ValueId Graph::AddValue(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

NodeId Graph::AddNode(Node node) {
  const NodeId id = static_cast<NodeId>(nodes.size());
  for (ValueId output : node.outputs)
    if (output != kNone) value(output).producer = id;
  nodes.push_back(std::move(node));
  return id;
}

ValueId Graph::FindValue(const std::string& name) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].name == name) return static_cast<ValueId>(i);
  return kNone;
}

std::vector<ValueId> Graph::OfKind(ValueKind kind) const {
  std::vector<ValueId> ids;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].kind == kind) ids.push_back(static_cast<ValueId>(i));
  return ids;
}

std::vector<ValueId> ReadsOf(const Node& node) {
  std::vector<ValueId> reads = node.inputs;
  for (const Region& region : node.regions)
    reads.insert(reads.end(), region.captures.begin(), region.captures.end());
  return reads;
}

std::vector<std::vector<Use>> UsesOf(const Graph& graph) {
  std::vector<std::vector<Use>> uses(graph.values.size());
  const auto add = [&](ValueId value, NodeId node, int input) {
    if (value != kNone) uses[static_cast<size_t>(value)].push_back({node, input});
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    int position = 0;
    for (ValueId input : graph.nodes[n].inputs) add(input, static_cast<NodeId>(n), position++);
    for (const Region& region : graph.nodes[n].regions)
      for (ValueId capture : region.captures) add(capture, static_cast<NodeId>(n), position++);
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    add(graph.outputs[i], kNone, static_cast<int>(i));
  return uses;
}

Graph WithOnly(Graph graph,
               const std::vector<ValueId>& values,
               const std::vector<bool>& nodes,
               std::vector<ValueId>* ids) {
  Graph out;
  out.name = std::move(graph.name);
  out.opset = graph.opset;
  out.micro_batches = graph.micro_batches;
  std::vector<ValueId> renamed(graph.values.size(), kNone);
  for (ValueId id : values)
    if (id != kNone && renamed[static_cast<size_t>(id)] == kNone)
      renamed[static_cast<size_t>(id)] = out.AddValue(std::move(graph.value(id)));

  const auto rename = [&](std::vector<ValueId>& list) {
    for (ValueId& id : list)
      if (id != kNone) id = renamed[static_cast<size_t>(id)];
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!nodes[n]) continue;
    Node node = std::move(graph.nodes[n]);
    rename(node.inputs);
    rename(node.outputs);
    for (Region& region : node.regions) rename(region.captures);
    out.AddNode(std::move(node));
  }
  out.inputs = std::move(graph.inputs);
  out.outputs = std::move(graph.outputs);
  rename(out.inputs);
  rename(out.outputs);
  for (StatePair pair : graph.state) {
    pair.input = renamed[static_cast<size_t>(pair.input)];
    pair.output = renamed[static_cast<size_t>(pair.output)];
    out.state.push_back(pair);
  }
  if (ids != nullptr) *ids = std::move(renamed);
  return out;
}

Graph WithoutDeadCode(const Graph& graph) {
  std::vector<bool> live(graph.values.size(), false);
  std::vector<bool> keep(graph.nodes.size(), false);
  for (ValueId id : graph.outputs) live[static_cast<size_t>(id)] = true;
  for (ValueId id : graph.inputs) live[static_cast<size_t>(id)] = true;
  for (const StatePair& pair : graph.state) live[static_cast<size_t>(pair.input)] = true;
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    for (ValueId output : node.outputs)
      keep[n] = keep[n] || (output != kNone && live[static_cast<size_t>(output)]);
    if (!keep[n]) continue;
    for (ValueId input : node.inputs)
      if (input != kNone) live[static_cast<size_t>(input)] = true;
    for (ValueId output : node.outputs)
      if (output != kNone) live[static_cast<size_t>(output)] = true;
    for (const Region& region : node.regions)
      for (ValueId capture : region.captures) live[static_cast<size_t>(capture)] = true;
  }
  std::vector<ValueId> values;
  for (size_t v = 0; v < live.size(); ++v)
    if (live[v]) values.push_back(static_cast<ValueId>(v));
  return WithOnly(graph, values, keep);
}

}  // namespace metadist
