// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/overlapping.h"

#include <algorithm>
#include <map>

#include "metair/spmd/collective.h"

namespace metadist {
namespace {

// A collective that other ranks take part in, on the stream of the nodes.
bool Stops(const Node& node) { return Communicates(node) && !Overlaps(node); }

// The nodes that replace a state, by its root.
std::map<ValueId, NodeId> Replacements(const Graph& graph, std::span<const ValueId> roots) {
  std::map<ValueId, NodeId> out;
  for (const StatePair& pair : graph.state) {
    const ValueId made = roots[static_cast<size_t>(pair.output)];
    const NodeId node = graph.value(made).producer;
    if (node != kNone) out[roots[static_cast<size_t>(pair.input)]] = node;
  }
  return out;
}

}  // namespace

std::vector<NodeId> DoneBefore(const Graph& graph, std::span<const ValueId> roots) {
  const NodeId end = static_cast<NodeId>(graph.nodes.size());
  std::vector<NodeId> out(graph.nodes.size(), kNone);
  if (std::ranges::none_of(graph.nodes, Overlaps)) return out;
  const std::map<ValueId, NodeId> replaced = Replacements(graph, roots);
  std::vector<NodeId> first_reader(graph.values.size(), end);  // by value; on the nodes' stream
  NodeId waits = end;                                          // for the collective at hand
  for (NodeId id = end - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    if (!Overlaps(node)) {
      for (const ValueId read : ReadsOf(node))
        if (read != kNone) first_reader[static_cast<size_t>(read)] = id;
      if (Stops(node)) waits = id;
      continue;
    }
    for (const ValueId made : node.outputs)
      waits = std::min(waits, first_reader[static_cast<size_t>(made)]);
    const auto replacement = replaced.find(roots[static_cast<size_t>(node.inputs[0])]);
    if (replacement != replaced.end() && replacement->second > id)
      waits = std::min(waits, replacement->second);
    out[static_cast<size_t>(id)] = waits;
  }
  return out;
}

}  // namespace metadist
