// SPDX-License-Identifier: Apache-2.0
#include "metair/training/value_roles.h"

#include <algorithm>
namespace metadist {
namespace {

bool IsTrained(const Graph& graph, const StatePair& pair) {
  return graph.value(pair.input).kind == ValueKind::kParameter;
}

class RoleFinder {
 public:
  explicit RoleFinder(const Graph& graph)
      : graph_(graph), roles_(graph.values.size(), ValueRole::kOther) {}

  std::vector<ValueRole> Run() {
    for (const ValueId id : graph_.inputs) RoleOf(id) = ValueRole::kData;
    MarkWeights();
    if (!IsTrainingStep(graph_)) return std::move(roles_);
    for (const StatePair& pair : graph_.state) {
      if (!IsTrained(graph_, pair)) RoleOf(pair.input) = ValueRole::kOptimizerState;
      RoleOf(pair.output) = ValueRole::kUpdated;
    }
    for (const StatePair& pair : graph_.state)
      if (IsTrained(graph_, pair)) MarkGradient(pair);
    return std::move(roles_);
  }

 private:
  ValueRole& RoleOf(ValueId id) { return roles_[static_cast<size_t>(id)]; }

  void MarkWeights() {
    for (const ValueId id : graph_.OfKind(ValueKind::kParameter)) RoleOf(id) = ValueRole::kWeight;
    for (const Node& node : graph_.nodes) {
      bool some = false, all = node.regions.empty();
      for (const ValueId id : node.inputs) {
        if (id == kNone || graph_.value(id).kind == ValueKind::kConstant) continue;
        const bool weight = RoleOf(id) == ValueRole::kWeight;
        some = some || weight;
        all = all && weight;
      }
      for (const ValueId id : node.outputs)
        if (id != kNone && some && all) RoleOf(id) = ValueRole::kWeight;
    }
  }

  bool IsSingle(ValueId id) const {
    const Shape& shape = graph_.value(id).type.shape;
    return std::ranges::all_of(shape, [](int64_t size) { return size == 1; });
  }

  // The inputs of a node that are results as large as a trained parameter.
  std::vector<ValueId> ResultsLike(NodeId node, const Shape& shape) const {
    std::vector<ValueId> out;
    for (const ValueId id : graph_.node(node).inputs)
      if (id != kNone && graph_.value(id).kind == ValueKind::kResult &&
          graph_.value(id).type.shape == shape &&
          roles_[static_cast<size_t>(id)] != ValueRole::kWeight)
        out.push_back(id);
    return out;
  }

  // From the update backwards, as long as a value is made from one of its own shape and from single
  // numbers, as by clipping and scaling.
  void MarkGradient(const StatePair& pair) {
    const Shape& shape = graph_.value(pair.input).type.shape;
    for (NodeId node = graph_.value(pair.output).producer; node != kNone;) {
      const std::vector<ValueId> like = ResultsLike(node, shape);
      if (like.size() != 1 || RoleOf(like[0]) != ValueRole::kOther) return;
      RoleOf(like[0]) = ValueRole::kGradient;
      node = graph_.value(like[0]).producer;
      for (const ValueId id : graph_.node(node).inputs)
        if (id != kNone && graph_.value(id).type.shape != shape && !IsSingle(id)) return;
    }
  }

  const Graph& graph_;
  std::vector<ValueRole> roles_;
};

}  // namespace

bool IsTrainingStep(const Graph& graph) {
  return std::ranges::any_of(graph.state,
                             [&](const StatePair& pair) { return IsTrained(graph, pair); });
}

std::vector<ValueRole> RolesOf(const Graph& graph) { return RoleFinder(graph).Run(); }

std::vector<bool> UpdateNodes(const Graph& graph) {
  std::vector<bool> out(graph.nodes.size());
  for (const StatePair& pair : graph.state) {
    const NodeId producer = graph.value(pair.output).producer;
    if (producer != kNone) out[static_cast<size_t>(producer)] = true;
  }
  return out;
}

}  // namespace metadist
