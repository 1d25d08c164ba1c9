// SPDX-License-Identifier: Apache-2.0
#include "planner/space/redistribution.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace metadist {
namespace {

class Collector {
 public:
  Collector(const Graph& graph, const Assignment& assignment, Redistributor& routes)
      : graph_(graph), assignment_(assignment), routes_(routes) {}

  std::vector<Redistribution> Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) VisitNode(static_cast<NodeId>(n));
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      Redistribution to{.value = graph_.outputs[i], .place = Redistribution::Place::kOutput};
      to.output = static_cast<int>(i);
      Add(std::move(to), Kept(graph_.outputs[i]), assignment_.outputs[i]);
    }
    return std::move(out_);
  }

 private:
  const Sharding& Kept(ValueId value) const {
    return assignment_.values[static_cast<size_t>(value)];
  }

  void VisitNode(NodeId n) {
    const Node& node = graph_.node(n);
    const Strategy& strategy = assignment_.nodes[static_cast<size_t>(n)];
    const int32_t group =
        assignment_.group.empty() ? -1 : assignment_.group[static_cast<size_t>(n)];
    if (group < 0 || group != group_) taken_.clear();
    group_ = group;
    const auto take = [&](ValueId value, const Sharding& wanted) {
      if (!taken_.emplace(value, wanted).second) return;
      Add({.value = value, .place = Redistribution::Place::kUse, .node = n}, Kept(value), wanted);
    };
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNone) take(node.inputs[i], strategy.inputs[i]);
    for (const Region& region : node.regions)
      for (ValueId capture : region.captures)
        take(capture, Sharding::Replicated(graph_.value(capture).type.shape.size()));
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNone) continue;
      Add({.value = node.outputs[o], .place = Redistribution::Place::kKept, .node = n},
          strategy.outputs[o],
          Kept(node.outputs[o]));
    }
  }

  void Add(Redistribution next, const Sharding& from, const Sharding& to) {
    if (from == to) return;
    const Route& route = routes_.Between(graph_.value(next.value).type, from, to);
    if (route.steps.empty()) return;
    next.steps = route.steps;
    next.price = route.price;
    next.received_bytes = route.received_bytes;
    out_.push_back(std::move(next));
  }

  const Graph& graph_;
  const Assignment& assignment_;
  Redistributor& routes_;
  int32_t group_ = -1;                            // of the last node
  std::set<std::pair<ValueId, Sharding>> taken_;  // by it, or by its group
  std::vector<Redistribution> out_;
};

}  // namespace

std::vector<Redistribution> RedistributionsOf(const Graph& graph,
                                              const Assignment& assignment,
                                              Redistributor& routes) {
  return Collector(graph, assignment, routes).Run();
}

std::string Why(const Redistribution& redistribution, const Graph& graph, const Mesh& mesh) {
  const Value& value = graph.value(redistribution.value);
  const std::string from = ShardingText(redistribution.steps.front().from, mesh);
  const std::string to = ShardingText(redistribution.steps.back().to, mesh);
  const std::string node = redistribution.node == kNone ? "" : graph.node(redistribution.node).name;
  using Place = Redistribution::Place;
  if (redistribution.place == Place::kKept)
    return fmt::format("'{}' makes {}, it is kept as {} for its uses", node, from, to);
  if (redistribution.place == Place::kUse)
    return fmt::format("'{}' takes {}, '{}' is sharded as {}", node, to, value.name, from);
  return fmt::format(
      "output {} is returned as {}, it is sharded as {}", redistribution.output, to, from);
}

}  // namespace metadist
