// SPDX-License-Identifier: Apache-2.0
// A node as its decomposition.
//
// The rule says by which of its own factors every inner node works when the operator works on a
// factor; so an axis of the mesh that is given to the operator is given to every inner node, and
// the strategies of those are built as any node's are. Where an inner value is exchanged, it is
// kept reduced, and the ordinary redistributions supply the collective. Whatever does not chain (a
// factor that an inner node lacks at its real sizes) has no strategy.
#include "planner/space/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "metair/ir/check.h"
#include "planner/lower/redistribution.h"

namespace metadist {
namespace {

constexpr int kIdle = -1;

std::optional<int> ChoiceNamed(const Rule& rule, const std::string& name) {
  if (name.empty()) return kIdle;
  const int factors = static_cast<int>(rule.factors.size());
  for (int f = 0; f < factors; ++f)
    if (rule.factors[static_cast<size_t>(f)].name == name) return f;
  for (size_t p = 0; p < rule.pass_through.size(); ++p)
    if (name == "~" + std::string(Name(rule.pass_through[p].op)))
      return factors + static_cast<int>(p);
  return std::nullopt;
}

}  // namespace

bool Expander::Wanted(const std::vector<int>& choices) const {
  return std::any_of(choices.begin(), choices.end(), [&](int choice) {
    return choice != kIdle && choice < static_cast<int>(rule_.factors.size()) &&
           rule_.factors[static_cast<size_t>(choice)].composite;
  });
}

bool Expander::Prepare() {
  if (prepared_) return !graph_.nodes.empty();
  prepared_ = true;
  const OpDef* op = space_.ops->Find(node_);
  if (op == nullptr || op->decompose == nullptr || space_.routes == nullptr || !space_.inner_rules)
    return false;
  auto graph = op->decompose(CallOf(*op, *space_.graph, node_));
  if (!graph.ok()) return false;
  graph_ = std::move(graph).value();
  for (const Node& node : graph_.nodes) rules_.push_back(&space_.inner_rules(graph_, node));
  return true;
}

std::optional<std::vector<int>> Expander::ChoicesOf(size_t inner,
                                                    const std::vector<int>& choices) const {
  std::vector<int> out;
  for (const int choice : choices) {
    out.push_back(kIdle);
    if (choice == kIdle) continue;
    if (choice >= static_cast<int>(rule_.factors.size())) return std::nullopt;
    const InnerUse& use = rule_.factors[static_cast<size_t>(choice)].inner;
    if (use.nodes.size() != graph_.nodes.size()) return std::nullopt;
    const auto named = ChoiceNamed(*rules_[inner], use.nodes[inner]);
    if (!named) return std::nullopt;
    out.back() = *named;
  }
  return out;
}

// How the node's result is kept: as it is made, but for what is exchanged.
void Expander::Keep(size_t inner, const std::vector<int>& choices, Assignment& assignment) const {
  Sharding kept = assignment.nodes[inner].outputs[0];
  for (size_t a = 0; a < choices.size(); ++a) {
    if (choices[a] == kIdle) continue;
    const InnerUse& use = rule_.factors[static_cast<size_t>(choices[a])].inner;
    for (const InnerExchange& exchange : use.exchanges)
      if (exchange.node == static_cast<int>(inner))
        std::erase_if(kept.partial,
                      [&](const Partial& partial) { return partial.axis == static_cast<int>(a); });
  }
  assignment.values[static_cast<size_t>(graph_.nodes[inner].outputs[0])] = std::move(kept);
}

std::optional<Priced> Expander::Expand(const std::vector<int>& choices, Strategy& strategy) {
  if (!Prepare()) return std::nullopt;
  StrategySpace inner = space_;
  inner.graph = &graph_;
  Assignment assignment;
  for (const Value& value : graph_.values)
    assignment.values.push_back(Sharding::Replicated(value.type.shape.size()));
  size_t position = 0;
  for (size_t i = 0; i < node_.inputs.size(); ++i)
    if (node_.inputs[i] != kNone)
      assignment.values[static_cast<size_t>(graph_.inputs[position++])] = strategy.inputs[i];
  Priced price;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const auto own = ChoicesOf(n, choices);
    if (!own) return std::nullopt;
    auto built = BuildStrategy(inner, node, *rules_[n], *own);
    if (!built || !FitsEverywhere(inner, *space_.ops->Find(node), node, *built))
      return std::nullopt;
    price += ComputePrice(inner, node, *built);
    assignment.nodes.push_back(std::move(*built));
    Keep(n, choices, assignment);
  }
  for (size_t o = 0; o < graph_.outputs.size(); ++o) {
    const Sharding& made = assignment.values[static_cast<size_t>(graph_.outputs[o])];
    if (node_.outputs[o] != kNone && made != strategy.outputs[o]) return std::nullopt;
    assignment.outputs.push_back(made);
  }
  assignment.group.assign(graph_.nodes.size(), 0);
  for (const Redistribution& move : RedistributionsOf(graph_, assignment, *space_.routes))
    price += move.price;
  strategy.expansion = std::make_shared<const Expansion>(Expansion{graph_, std::move(assignment)});
  return price;
}

namespace {

class NodeExpansion {
 public:
  NodeExpansion(const Graph& graph, const Assignment& assignment) : graph_(graph) {
    out_.graph = graph;
    out_.graph.nodes.clear();
    out_.assignment.values = assignment.values;
    out_.assignment.outputs = assignment.outputs;
    for (const Value& value : graph.values) names_.insert(value.name);
    for (const Node& node : graph.nodes) node_names_.insert(node.name);
  }

  Expanded Run(const Assignment& assignment) {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Strategy& strategy = assignment.nodes[n];
      if (strategy.expansion != nullptr) {
        Splice(graph_.nodes[n], *strategy.expansion);
        ++groups_;
        continue;
      }
      out_.graph.AddNode(graph_.nodes[n]);
      out_.assignment.nodes.push_back(strategy);
      out_.assignment.group.push_back(-1);
    }
    if (groups_ > 0) Renumber();
    return std::move(out_);
  }

 private:
  // Values in the order in which a graph's text names them: what is given, then results as they are
  // made.
  void Renumber() {
    Graph& graph = out_.graph;
    std::vector<ValueId> order;
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (graph.values[v].kind != ValueKind::kResult) order.push_back(static_cast<ValueId>(v));
    for (const Node& node : graph.nodes)
      for (const ValueId id : node.outputs)
        if (id != kNone) order.push_back(id);
    CHECK(order.size() == graph.values.size(), "every result is made by a node");
    std::vector<ValueId> ids(order.size());
    std::vector<Value> values;
    std::vector<Sharding> shardings;
    for (size_t v = 0; v < order.size(); ++v) {
      const size_t old = static_cast<size_t>(order[v]);
      ids[old] = static_cast<ValueId>(v);
      values.push_back(std::move(graph.values[old]));
      shardings.push_back(std::move(out_.assignment.values[old]));
    }
    graph.values = std::move(values);
    out_.assignment.values = std::move(shardings);
    const auto renumber = [&](ValueId& id) {
      if (id != kNone) id = ids[static_cast<size_t>(id)];
    };
    std::for_each(graph.inputs.begin(), graph.inputs.end(), renumber);
    std::for_each(graph.outputs.begin(), graph.outputs.end(), renumber);
    for (StatePair& pair : graph.state) {
      renumber(pair.input);
      renumber(pair.output);
    }
    for (Node& node : graph.nodes) {
      std::for_each(node.inputs.begin(), node.inputs.end(), renumber);
      std::for_each(node.outputs.begin(), node.outputs.end(), renumber);
      for (Region& region : node.regions)
        std::for_each(region.captures.begin(), region.captures.end(), renumber);
    }
  }

  static std::string Unique(std::set<std::string>& names, const std::string& name) {
    std::string candidate = name;
    for (int i = 2; !names.insert(candidate).second; ++i) candidate = fmt::format("{}#{}", name, i);
    return candidate;
  }

  void Splice(const Node& node, const Expansion& expansion) {
    const Graph& inner = expansion.graph;
    std::vector<ValueId> ids(inner.values.size(), kNone);
    size_t position = 0;
    for (const ValueId input : node.inputs)
      if (input != kNone) ids[static_cast<size_t>(inner.inputs[position++])] = input;
    for (size_t o = 0; o < node.outputs.size(); ++o)
      if (node.outputs[o] != kNone) ids[static_cast<size_t>(inner.outputs[o])] = node.outputs[o];
    for (size_t v = 0; v < inner.values.size(); ++v) {
      if (ids[v] != kNone) continue;
      Value value = inner.values[v];
      value.name = Unique(names_, fmt::format("{}/{}", node.name, value.name));
      ids[v] = out_.graph.AddValue(std::move(value));
      out_.assignment.values.push_back(expansion.assignment.values[v]);
    }
    for (size_t n = 0; n < inner.nodes.size(); ++n) {
      Node next = inner.nodes[n];
      next.name = Unique(node_names_, fmt::format("{}/{}", node.name, next.name));
      for (std::vector<ValueId>* values : {&next.inputs, &next.outputs})
        for (ValueId& id : *values)
          if (id != kNone) id = ids[static_cast<size_t>(id)];
      out_.graph.AddNode(std::move(next));
      out_.assignment.nodes.push_back(expansion.assignment.nodes[n]);
      out_.assignment.group.push_back(groups_);
    }
  }

  const Graph& graph_;
  Expanded out_;
  int32_t groups_ = 0;
  std::set<std::string> names_;
  std::set<std::string> node_names_;
};

}  // namespace

Expanded ExpandNodes(const Graph& graph, const Assignment& assignment) {
  return NodeExpansion(graph, assignment).Run(assignment);
}

}  // namespace metadist
