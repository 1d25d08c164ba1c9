// SPDX-License-Identifier: Apache-2.0
// Running a node as its decomposition, or by a recipe.
//
// For every factor of the operator, the rule names the factor on which each inner node works. So a
// mesh axis that is given to the operator is given to every inner node, and their strategies are
// built like those of any node. An inner value that is exchanged is kept reduced, and the ordinary
// redistributions supply the collective. If an inner node lacks the named factor at its real sizes,
// there is no such strategy.
//
// A recipe, or a late merge, defines how its own nodes work on pieces: that is one more factor of
// their rules. The operator's other factors, on other axes, are propagated through its graph by the
// rules of its nodes. Of several ways the fastest is taken.
#include "planner/space/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "metair/ir/canonical.h"
#include "metair/ir/check.h"
#include "metair/ir/unique_names.h"
#include "planner/rules/compose/late_merge.h"
#include "planner/rules/compose/propagation.h"
#include "planner/rules/compose/recipe.h"
#include "planner/space/redistribution.h"

namespace metadist {
namespace {

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

std::vector<const Expander::Body*> Expander::BodiesFor(const std::vector<int>& choices) {
  if (Op() == nullptr || space_.routes == nullptr || !space_.inner_rules) return {};
  std::map<int, int64_t> ranks;  // by composite factor in use
  for (size_t a = 0; a < choices.size(); ++a) {
    if (choices[a] == kIdle || choices[a] >= static_cast<int>(rule_.factors.size())) continue;
    if (!rule_.factors[static_cast<size_t>(choices[a])].composite) continue;
    ranks.try_emplace(choices[a], 1).first->second *= space_.mesh->size(static_cast<int>(a));
  }
  const auto own = [&](int factor) -> const Factor& {
    return rule_.factors[static_cast<size_t>(factor)];
  };
  std::vector<const Body*> bodies;
  if (std::all_of(ranks.begin(), ranks.end(), [&](const auto& used) {
        return own(used.first).inner.recipe.empty();
      }))
    bodies.push_back(Decomposed());
  // These graphs are written for a number of ranks, and for one such factor only.
  if (ranks.size() != 1) return bodies;
  const auto [factor, count] = *ranks.begin();
  for (size_t way = bodies.empty() ? 0 : 1; way <= own(factor).others.size(); ++way)
    bodies.push_back(ByWay(factor, static_cast<int>(way), count));
  return bodies;
}

const OpCall& Expander::Call() {
  if (!seen_) seen_.emplace(CallOf(*Op(), *space_.graph, node_));
  return seen_->CallAt(seen_->values());
}

const Expander::Body* Expander::Decomposed() {
  const auto [at, added] = bodies_.try_emplace({kIdle, 0, 0});
  if (!added || Op()->decompose == nullptr) return at->second.get();
  auto graph = Op()->decompose(Call());
  if (!graph.ok()) return nullptr;
  auto body = std::make_unique<Body>();
  body->graph = std::move(graph).value();
  for (const Node& node : body->graph.nodes)
    body->rules.push_back(space_.inner_rules(body->graph, node));
  for (size_t f = 0; f < rule_.factors.size(); ++f)
    if (rule_.factors[f].inner.nodes.size() == body->graph.nodes.size())
      body->uses[static_cast<int>(f)] = rule_.factors[f].inner;
  AddBlockCyclic(*body);
  at->second = std::move(body);
  return at->second.get();
}

Result<PieceGraph> Expander::Written(const Factor& factor, const InnerUse& use, int64_t ranks) {
  const OpCall& call = Call();
  if (use.nodes.empty())
    return BuildRecipe(use.recipe,
                       {call, factor.inputs, factor.outputs},
                       ranks,
                       {*space_.ops, space_.inner_rules});
  Graph graph = TRY(Op()->decompose(call));
  if (use.nodes.size() != graph.nodes.size())
    return BadInput("", "the decomposition has another form");
  std::vector<Factor> steps(graph.nodes.size());
  std::vector<const Factor*> factors(graph.nodes.size(), nullptr);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    steps[n].name = use.nodes[n];
    if (use.nodes[n].empty() || use.nodes[n][0] == '~') continue;
    const Rule& rule = space_.inner_rules(graph, graph.nodes[n]);
    factors[n] = rule.Find(use.nodes[n]);
    if (factors[n] == nullptr)
      return BadInput("", "a node cannot be divided this way at these sizes");
    steps[n] = *factors[n];
    steps[n].name = kPieceFactor;
  }
  if (use.recipe.empty()) return PieceGraph{std::move(graph), std::move(steps), use.exchanges};
  return BuildLate(use.recipe, {*space_.ops, call, graph, factors, use, factor.groups()}, ranks);
}

const Expander::Body* Expander::ByWay(int factor, int way, int64_t ranks) {
  const auto [at, added] = bodies_.try_emplace({factor, way, ranks});
  if (!added) return at->second.get();
  const Factor& own = rule_.factors[static_cast<size_t>(factor)];
  auto pieces =
      Written(own, way == 0 ? own.inner : own.others[static_cast<size_t>(way - 1)], ranks);
  if (!pieces.ok()) return nullptr;
  auto body = std::make_unique<Body>();
  body->graph = std::move(pieces.value().graph);
  for (const Node& node : body->graph.nodes)
    body->rules.push_back(space_.inner_rules(body->graph, node));
  AddUses(factor, *body);
  InnerUse& use = body->uses[factor];
  use.exchanges = std::move(pieces.value().exchanges);
  for (size_t n = 0; n < body->graph.nodes.size(); ++n) {
    const Factor& step = pieces.value().steps[n];
    use.nodes.push_back(step.name);
    if (step.name == kPieceFactor) body->rules[n].factors.push_back(step);
  }
  AddBlockCyclic(*body);
  at->second = std::move(body);
  return at->second.get();
}

// Propagates the node's plain factors through a graph that is written for a composite one.
void Expander::AddUses(int composite, Body& body) const {
  std::vector<int> position;  // by input of the node: which of the graph's it is
  int next = 0;
  for (const ValueId input : node_.inputs) position.push_back(input == kNone ? kNone : next++);
  std::vector<const Rule*> rules;
  for (const Rule& rule : body.rules) rules.push_back(&rule);
  for (size_t f = 0; f < rule_.factors.size(); ++f) {
    const Factor& factor = rule_.factors[f];
    if (static_cast<int>(f) == composite || factor.composite || factor.inputs.empty() ||
        !factor.partial_inputs.empty())
      continue;
    std::map<int, Cut> inputs;
    for (const Cut& cut : factor.inputs) inputs[position[static_cast<size_t>(cut.tensor)]] = cut;
    if (auto way = Propagate(body.graph, rules, inputs, /*most_elements=*/0))
      body.uses[static_cast<int>(f)] = std::move(way->use);
  }
}

// For factors with their groups in another order: each inner node works on its own factor in that
// order.
void Expander::AddBlockCyclic(Body& body) const {
  const size_t own = rule_.factors.size() - layouts_.size();
  for (size_t i = 0; i < layouts_.size(); ++i) {
    const auto use = body.uses.find(layouts_[i].factor);
    if (use == body.uses.end()) continue;
    std::vector<int> choices(body.graph.nodes.size(), -1);
    bool all = true;
    for (size_t n = 0; n < choices.size() && all; ++n) {
      const std::string& name = use->second.nodes[n];
      if (name.empty() || name[0] == '~') continue;
      const auto named = ChoiceNamed(body.rules[n], name);
      const auto in_blocks =
          named ? CutBlockCyclic(body.rules[n].factors[static_cast<size_t>(*named)],
                                 layouts_[i].layout)
                : std::nullopt;
      all = in_blocks.has_value();
      if (!all) continue;
      choices[n] = static_cast<int>(body.rules[n].factors.size());
      body.rules[n].factors.push_back(*in_blocks);
    }
    if (!all) continue;
    const int factor = static_cast<int>(own + i);
    body.uses[factor] = use->second;
    body.in_blocks[factor] = std::move(choices);
  }
}

std::optional<std::vector<int>> Expander::ChoicesOf(const Body& body,
                                                    size_t inner,
                                                    const std::vector<int>& choices) {
  std::vector<int> out;
  for (const int choice : choices) {
    out.push_back(kIdle);
    if (choice == kIdle) continue;
    const auto use = body.uses.find(choice);
    if (use == body.uses.end()) return std::nullopt;
    const auto in_blocks = body.in_blocks.find(choice);
    if (in_blocks != body.in_blocks.end() && in_blocks->second[inner] >= 0) {
      out.back() = in_blocks->second[inner];
      continue;
    }
    const auto named = ChoiceNamed(body.rules[inner], use->second.nodes[inner]);
    if (!named) return std::nullopt;
    out.back() = *named;
  }
  return out;
}

// Keeps the node's results as they are made, but reduces those that are exchanged.
void Expander::Keep(const Body& body,
                    size_t inner,
                    const std::vector<int>& choices,
                    Assignment& assignment) {
  const std::vector<ValueId>& outputs = body.graph.nodes[inner].outputs;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o] == kNone) continue;
    Sharding kept = assignment.nodes[inner].outputs[o];
    for (size_t a = 0; a < choices.size(); ++a) {
      if (choices[a] == kIdle || o > 0) continue;
      for (const InnerExchange& exchange : body.uses.at(choices[a]).exchanges)
        if (exchange.node == static_cast<int>(inner))
          std::erase_if(kept.partial, [&](const Partial& partial) {
            return partial.axis == static_cast<int>(a);
          });
    }
    assignment.values[static_cast<size_t>(outputs[o])] = std::move(kept);
  }
}

std::optional<Priced> Expander::Expand(const std::vector<int>& choices, Strategy& strategy) {
  std::optional<Priced> best;
  std::shared_ptr<const Expansion> fastest;
  for (const Body* body : BodiesFor(choices)) {
    if (body == nullptr) continue;
    const auto price = Run(*body, choices, strategy);
    if (!price || (best && best->seconds <= price->seconds)) continue;
    best = price;
    fastest = strategy.expansion;
  }
  strategy.expansion = std::move(fastest);
  return best;
}

std::optional<Priced> Expander::Run(const Body& body,
                                    const std::vector<int>& choices,
                                    Strategy& strategy) const {
  const Graph& graph = body.graph;
  StrategySpace inner = space_;
  inner.graph = &graph;
  inner.fused = nullptr;
  Assignment assignment;
  for (const Value& value : graph.values)
    assignment.values.push_back(Sharding::Replicated(value.type.shape.size()));
  size_t position = 0;
  for (size_t i = 0; i < node_.inputs.size(); ++i)
    if (node_.inputs[i] != kNone)
      assignment.values[static_cast<size_t>(graph.inputs[position++])] = strategy.inputs[i];
  Priced price;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const auto own = ChoicesOf(body, n, choices);
    if (!own) return std::nullopt;
    auto built = BuildStrategy(inner, node, body.rules[n], *own);
    if (!built || !FitsEverywhere(inner, *space_.ops->Find(node), node, *built))
      return std::nullopt;
    price += ComputePrice(inner, node, *built);
    assignment.nodes.push_back(std::move(*built));
    Keep(body, n, choices, assignment);
  }
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const Sharding& made = assignment.values[static_cast<size_t>(graph.outputs[o])];
    if (node_.outputs[o] != kNone && made != strategy.outputs[o]) return std::nullopt;
    assignment.outputs.push_back(made);
  }
  assignment.group.assign(graph.nodes.size(), 0);
  for (const Redistribution& move : RedistributionsOf(graph, assignment, *space_.routes))
    price += move.price;
  strategy.expansion = std::make_shared<const Expansion>(Expansion{graph, std::move(assignment)});
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
    for (const Value& value : graph.values) names_.Take(value.name);
    for (const Node& node : graph.nodes) node_names_.Take(node.name);
  }

  Expansion Run(const Assignment& assignment) {
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
  // Puts values in the order in which a graph's text names them.
  void Renumber() {
    std::vector<ValueId> ids;
    out_.graph = Renumbered(std::move(out_.graph), &ids);
    CHECK(out_.graph.values.size() == ids.size(),
          "every value is an input, stored, or made by a node");
    std::vector<Sharding> shardings(ids.size());
    for (size_t v = 0; v < ids.size(); ++v)
      shardings[static_cast<size_t>(ids[v])] = std::move(out_.assignment.values[v]);
    out_.assignment.values = std::move(shardings);
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
      value.name = names_.Fresh(fmt::format("{}/{}", node.name, value.name));
      ids[v] = out_.graph.AddValue(std::move(value));
      out_.assignment.values.push_back(expansion.assignment.values[v]);
    }
    for (size_t n = 0; n < inner.nodes.size(); ++n) {
      Node next = inner.nodes[n];
      next.name = node_names_.Fresh(fmt::format("{}/{}", node.name, next.name));
      for (std::vector<ValueId>* values : {&next.inputs, &next.outputs})
        for (ValueId& id : *values)
          if (id != kNone) id = ids[static_cast<size_t>(id)];
      out_.graph.AddNode(std::move(next));
      out_.assignment.nodes.push_back(expansion.assignment.nodes[n]);
      out_.assignment.group.push_back(groups_);
    }
  }

  const Graph& graph_;
  Expansion out_;
  int32_t groups_ = 0;
  UniqueNames names_{"#"};
  UniqueNames node_names_{"#"};
};

}  // namespace

Expansion ExpandNodes(const Graph& graph, const Assignment& assignment) {
  return NodeExpansion(graph, assignment).Run(assignment);
}

}  // namespace metadist
