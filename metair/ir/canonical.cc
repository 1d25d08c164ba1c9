// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/canonical.h"

#include <utility>

namespace metadist {

Graph Renumbered(Graph graph, std::vector<ValueId>* ids) {
  std::vector<ValueId> order = graph.inputs;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValueKind kind = graph.values[v].kind;
    if (kind == ValueKind::kParameter || kind == ValueKind::kConstant)
      order.push_back(static_cast<ValueId>(v));
  }
  for (const Node& node : graph.nodes)
    order.insert(order.end(), node.outputs.begin(), node.outputs.end());
  const std::vector<bool> all(graph.nodes.size(), true);
  return WithOnly(std::move(graph), order, all, ids);
}

}  // namespace metadist
