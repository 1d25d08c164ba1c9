// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/micro_batches.h"

#include <algorithm>

namespace metadist {

namespace {

// By value: whether it is the new value of a sum, or depends on one.
std::vector<bool> DependOnSums(const Graph& graph) {
  std::vector<bool> depends(graph.values.size(), false);
  for (const StatePair& pair : graph.state)
    if (pair.sums) depends[static_cast<size_t>(pair.output)] = true;
  for (const Node& node : graph.nodes) {
    const bool any = std::ranges::any_of(
        ReadsOf(node), [&](ValueId id) { return id != kNone && depends[static_cast<size_t>(id)]; });
    for (const ValueId id : node.outputs)
      if (any && id != kNone) depends[static_cast<size_t>(id)] = true;
  }
  return depends;
}

}  // namespace

std::vector<bool> NodesRunOnce(const Graph& graph) {
  std::vector<bool> once(graph.nodes.size(), false);
  if (std::ranges::none_of(graph.state, &StatePair::sums)) return once;
  const std::vector<bool> depends = DependOnSums(graph);
  std::vector<bool> needed(graph.values.size(), false);
  for (const ValueId id : graph.outputs)
    needed[static_cast<size_t>(id)] = !depends[static_cast<size_t>(id)];
  for (const StatePair& pair : graph.state) needed[static_cast<size_t>(pair.output)] = pair.sums;
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    once[n] = std::ranges::none_of(
        node.outputs, [&](ValueId id) { return id != kNone && needed[static_cast<size_t>(id)]; });
    if (once[n]) continue;
    for (const ValueId id : ReadsOf(node))
      if (id != kNone) needed[static_cast<size_t>(id)] = true;
  }
  return once;
}

std::vector<ValueId> BatchedInputs(const Graph& graph) {
  std::vector<bool> carried(graph.values.size(), false);
  for (const StatePair& pair : graph.state) carried[static_cast<size_t>(pair.input)] = true;
  std::vector<ValueId> out;
  for (const ValueId id : graph.inputs)
    if (!carried[static_cast<size_t>(id)] && !graph.value(id).type.shape.empty()) out.push_back(id);
  return out;
}

}  // namespace metadist
