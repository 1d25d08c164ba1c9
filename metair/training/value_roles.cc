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
  RoleFinder(const Graph& graph, bool (*passes_on)(const Node& node))
      : graph_(graph), passes_on_(passes_on), roles_(graph.values.size(), ValueRole::kOther) {}

  std::vector<ValueRole> Run() {
    const bool trains = IsTrainingStep(graph_);
    for (const ValueId id : graph_.inputs) RoleOf(id) = ValueRole::kData;
    for (const ValueId id : graph_.OfKind(ValueKind::kParameter)) RoleOf(id) = ValueRole::kWeight;
    for (const StatePair& pair : graph_.state)
      if (trains && !IsTrained(graph_, pair))
        RoleOf(pair.input) = pair.sums ? ValueRole::kGradient : ValueRole::kOptimizerState;
    for (const Node& node : graph_.nodes) {
      if (PassesOn(node))
        RoleOf(node.outputs[0]) = RoleOf(node.inputs[0]);
      else if (OfWeights(node))
        for (const ValueId id : node.outputs)
          if (id != kNone) RoleOf(id) = ValueRole::kWeight;
    }
    if (!trains) return std::move(roles_);
    for (const StatePair& pair : graph_.state)
      if (!pair.sums) MarkUpdated(pair.output);
    for (const StatePair& pair : graph_.state)
      if (IsTrained(graph_, pair)) MarkGradient(pair);
    return std::move(roles_);
  }

 private:
  ValueRole& RoleOf(ValueId id) { return roles_[static_cast<size_t>(id)]; }
  bool PassesOn(const Node& node) const { return passes_on_ != nullptr && passes_on_(node); }

  // Whether it computes with parameters and constants alone.
  bool OfWeights(const Node& node) {
    bool some = false, all = node.regions.empty();
    for (const ValueId id : node.inputs) {
      if (id == kNone || graph_.value(id).kind == ValueKind::kConstant) continue;
      const bool weight = RoleOf(id) == ValueRole::kWeight;
      some = some || weight;
      all = all && weight;
    }
    return some && all;
  }

  // The value that the value is the same as.
  ValueId Origin(ValueId id) const {
    for (NodeId n = graph_.value(id).producer; n != kNone; n = graph_.value(id).producer) {
      if (!PassesOn(graph_.node(n))) break;
      id = graph_.node(n).inputs[0];
    }
    return id;
  }

  void MarkUpdated(ValueId id) {
    const ValueId origin = Origin(id);
    for (; id != origin; id = graph_.node(graph_.value(id).producer).inputs[0])
      RoleOf(id) = ValueRole::kUpdated;
    RoleOf(origin) = ValueRole::kUpdated;
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
          roles_[static_cast<size_t>(id)] != ValueRole::kWeight &&
          roles_[static_cast<size_t>(id)] != ValueRole::kOptimizerState)
        out.push_back(id);
    return out;
  }

  // From the update backwards, as long as a value is made from one of its own shape and from single
  // numbers, as by clipping and scaling.
  void MarkGradient(const StatePair& pair) {
    const Shape& shape = graph_.value(pair.input).type.shape;
    const ValueId updated = Origin(pair.output);
    for (NodeId node = graph_.value(updated).producer; node != kNone;) {
      const std::vector<ValueId> like = ResultsLike(node, shape);
      if (like.size() != 1 || RoleOf(like[0]) != ValueRole::kOther) return;
      RoleOf(like[0]) = ValueRole::kGradient;
      node = graph_.value(like[0]).producer;
      for (const ValueId id : graph_.node(node).inputs)
        if (id != kNone && graph_.value(id).type.shape != shape && !IsSingle(id)) return;
    }
  }

  const Graph& graph_;
  bool (*passes_on_)(const Node& node);
  std::vector<ValueRole> roles_;
};

}  // namespace

bool IsTrainingStep(const Graph& graph) {
  return std::ranges::any_of(graph.state,
                             [&](const StatePair& pair) { return IsTrained(graph, pair); });
}

std::vector<ValueRole> RolesOf(const Graph& graph, bool (*passes_on)(const Node& node)) {
  return RoleFinder(graph, passes_on).Run();
}

std::vector<bool> UpdateNodes(const Graph& graph) {
  std::vector<bool> out(graph.nodes.size());
  for (const StatePair& pair : graph.state) {
    if (pair.sums) continue;
    const NodeId producer = graph.value(pair.output).producer;
    if (producer != kNone) out[static_cast<size_t>(producer)] = true;
  }
  return out;
}

}  // namespace metadist
