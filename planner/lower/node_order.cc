// SPDX-License-Identifier: Apache-2.0
#include "planner/lower/node_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "metair/spmd/collective.h"

namespace metadist {
namespace {

// By node: its place. Errors: as OverlapInOrder.
Result<std::vector<NodeId>> PlacesIn(const Graph& graph, std::span<const NodeId> order) {
  std::vector<NodeId> places(graph.nodes.size(), kNone);
  if (order.size() != places.size())
    return BadInput(
        "order",
        fmt::format(
            "must list the {} nodes of the program, lists {}", places.size(), order.size()));
  for (size_t place = 0; place < order.size(); ++place) {
    const NodeId node = order[place];
    if (node < 0 || node >= std::ssize(places))
      return BadInput("order", fmt::format("the program has no node {}", node));
    if (places[static_cast<size_t>(node)] != kNone)
      return BadInput("order", fmt::format("lists node {} twice", node));
    places[static_cast<size_t>(node)] = static_cast<NodeId>(place);
  }
  return places;
}

Result<void> CheckReads(const Graph& graph, const std::vector<NodeId>& places) {
  for (size_t n = 0; n < places.size(); ++n)
    for (const ValueId read : ReadsOf(graph.nodes[n])) {
      const NodeId producer = read == kNone ? kNone : graph.value(read).producer;
      if (producer != kNone && places[static_cast<size_t>(producer)] > places[n])
        return BadInput("order",
                        fmt::format("'{}' comes before '{}', which it reads",
                                    graph.nodes[n].name,
                                    graph.node(producer).name));
    }
  return {};
}

// Whether the second node comes right after the first.
bool Follows(const std::vector<NodeId>& places, NodeId first, NodeId second) {
  return places[static_cast<size_t>(second)] == places[static_cast<size_t>(first)] + 1;
}

Result<void> CheckTogether(const Stage& stage, const std::vector<NodeId>& places) {
  const auto torn = [&](NodeId node) {
    return BadInput(
        "order",
        fmt::format("'{}' runs together with the node before it", stage.graph.node(node).name));
  };
  for (const FusedNodes& group : stage.fused)  // views may stand in between
    for (NodeId node = group.front() + 1; node <= group.back(); ++node)
      if (!Follows(places, node - 1, node)) return torn(node);
  for (NodeId node = 1; node < std::ssize(places); ++node) {
    const auto bundle = BundleOf(stage.graph.node(node));
    if (bundle && BundleOf(stage.graph.node(node - 1)) == bundle &&
        !Follows(places, node - 1, node))
      return torn(node);
  }
  return {};
}

}  // namespace

void Reorder(Stage& stage, std::span<const NodeId> order) {
  std::vector<Node> nodes;
  std::map<NodeId, std::vector<LocalLiteral>> literals;
  std::vector<NodeId> places(order.size());
  for (const NodeId old : order) {
    const NodeId now = static_cast<NodeId>(nodes.size());
    places[static_cast<size_t>(old)] = now;
    nodes.push_back(std::move(stage.graph.nodes[static_cast<size_t>(old)]));
    for (const ValueId out : nodes.back().outputs)
      if (out != kNone) stage.graph.value(out).producer = now;
    const auto found = stage.literals.find(old);
    if (found != stage.literals.end()) literals[now] = std::move(found->second);
  }
  stage.graph.nodes = std::move(nodes);
  stage.literals = std::move(literals);
  for (FusedNodes& group : stage.fused)
    for (NodeId& node : group) node = places[static_cast<size_t>(node)];
  std::ranges::sort(stage.fused);
}

Result<void> OverlapInOrder(Stage& stage, std::span<const NodeId> order) {
  const std::vector<NodeId> places = TRY(PlacesIn(stage.graph, order));
  TRY(CheckReads(stage.graph, places));
  TRY(CheckTogether(stage, places));
  Reorder(stage, order);
  for (Node& node : stage.graph.nodes)
    if (Communicates(node)) node.attributes.set(kOverlapsAttribute, int64_t{1});
  return {};
}

}  // namespace metadist
