// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/compose/inner_calls.h"

#include "planner/rules/instance/instance.h"

namespace metadist {

InnerCalls::InnerCalls(const OpTable& ops, const InnerFound& found, const Graph& base)
    : ops_(ops), found_(found) {
  for (const Node& node : base.nodes) known_.push_back(found(base, node));
}

Rule InnerCalls::RuleOf(const Graph& graph, size_t node) const {
  const OpDef* op = ops_.Find(graph.nodes[node]);
  if (op == nullptr) return {};
  BlackBox call(CallOf(*op, graph, graph.nodes[node]));
  bool fits = false;
  Rule rule;
  if (node < known_.size() && known_[node] != nullptr)
    rule = InstantiateAt(*known_[node], call, fits);
  if (fits) return rule;
  const SymbolicRule* own = found_(graph, graph.nodes[node]);
  return own == nullptr ? Rule() : InstantiateAt(*own, call, fits);
}

}  // namespace metadist
