// SPDX-License-Identifier: Apache-2.0
#include "metair/passes/replace_value.h"

#include <utility>

namespace metadist {

ValueReplacement::ValueReplacement(const Graph& graph)
    : now_(graph.values.size()),
      is_output_(graph.values.size(), false),
      is_state_(graph.values.size(), false) {
  for (size_t v = 0; v < now_.size(); ++v) now_[v] = static_cast<ValueId>(v);
  for (ValueId id : graph.outputs) is_output_[static_cast<size_t>(id)] = true;
  for (const StatePair& pair : graph.state) {
    is_state_[static_cast<size_t>(pair.input)] = true;
    is_state_[static_cast<size_t>(pair.output)] = true;
  }
}

ValueId ValueReplacement::of(ValueId id) const {
  while (id != kNone && now_[static_cast<size_t>(id)] != id) id = now_[static_cast<size_t>(id)];
  return id;
}

bool ValueReplacement::Add(const Graph& graph, ValueId old, ValueId now) {
  now = of(now);
  if (is_state_[static_cast<size_t>(old)]) return false;
  if (is_output_[static_cast<size_t>(old)]) {
    const bool free = graph.value(now).kind == ValueKind::kResult &&
                      !is_output_[static_cast<size_t>(now)] && !is_state_[static_cast<size_t>(now)];
    if (!free) return false;
    is_output_[static_cast<size_t>(now)] = true;
  }
  now_[static_cast<size_t>(old)] = now;
  return true;
}

Graph ValueReplacement::Apply(Graph graph) const {
  const auto rename = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) id = of(id);
  };
  for (Node& node : graph.nodes) {
    rename(node.inputs);
    for (Region& region : node.regions) rename(region.captures);
  }
  for (ValueId& id : graph.outputs) {
    const ValueId now = of(id);
    if (now != id) std::swap(graph.value(now).name, graph.value(id).name);
    id = now;
  }
  return graph;
}

}  // namespace metadist
