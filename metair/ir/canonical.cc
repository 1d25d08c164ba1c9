// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/canonical.h"

#include <utility>

namespace metadist {

Graph Renumbered(const Graph& graph) {
  std::vector<ValueId> ids;
  return Renumbered(graph, ids);
}

Graph Renumbered(const Graph& graph, std::vector<ValueId>& renamed) {
  Graph out;
  out.name = graph.name;
  out.opset = graph.opset;
  renamed.assign(graph.values.size(), kNone);
  const auto take = [&](ValueId id) {
    if (id != kNone && renamed[static_cast<size_t>(id)] == kNone)
      renamed[static_cast<size_t>(id)] = out.AddValue(graph.value(id));
  };
  const auto rename = [&](std::vector<ValueId> ids) {
    for (ValueId& id : ids)
      if (id != kNone) id = renamed[static_cast<size_t>(id)];
    return ids;
  };
  for (ValueId id : graph.inputs) take(id);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValueKind kind = graph.values[v].kind;
    if (kind == ValueKind::kParameter || kind == ValueKind::kConstant)
      take(static_cast<ValueId>(v));
  }
  for (const Node& node : graph.nodes)
    for (ValueId id : node.outputs) take(id);
  for (const Node& node : graph.nodes) {
    Node copy = node;
    copy.inputs = rename(std::move(copy.inputs));
    copy.outputs = rename(std::move(copy.outputs));
    for (Region& region : copy.regions) region.captures = rename(std::move(region.captures));
    out.AddNode(std::move(copy));
  }
  out.inputs = rename(graph.inputs);
  out.outputs = rename(graph.outputs);
  for (const StatePair& pair : graph.state)
    out.state.push_back(
        {renamed[static_cast<size_t>(pair.input)], renamed[static_cast<size_t>(pair.output)]});
  return out;
}

}  // namespace metadist
