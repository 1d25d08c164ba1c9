// SPDX-License-Identifier: Apache-2.0
#include "metair/training/early_updates.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "metair/training/value_roles.h"

namespace metadist {

Graph WithEarlyUpdates(Graph graph) {
  std::vector<bool> updates = UpdateNodes(graph);
  for (const StatePair& pair : graph.state)
    if (pair.sums) updates[static_cast<size_t>(graph.value(pair.output).producer)] = true;
  const auto uses = UsesOf(graph);
  std::vector<bool> replaced(graph.values.size());
  for (const StatePair& pair : graph.state) replaced[static_cast<size_t>(pair.input)] = true;
  std::vector<std::pair<NodeId, bool>> places;  // by node: the node that it is or follows
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    NodeId last = updates[n] ? -1 : static_cast<NodeId>(n);
    for (const ValueId id : graph.nodes[n].inputs) {
      if (!updates[n] || id == kNone) continue;
      const NodeId producer = graph.value(id).producer;
      if (producer != kNone) last = std::max(last, places[static_cast<size_t>(producer)].first);
      if (!replaced[static_cast<size_t>(id)]) continue;
      for (const Use& use : uses[static_cast<size_t>(id)])
        if (use.node != kNone && !updates[static_cast<size_t>(use.node)])
          last = std::max(last, use.node);
    }
    places.emplace_back(last, updates[n]);
  }
  std::vector<size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t n) { return places[n]; });
  std::vector<Node> nodes;
  std::swap(nodes, graph.nodes);
  for (const size_t n : order) graph.AddNode(std::move(nodes[n]));
  return graph;
}

}  // namespace metadist
