// SPDX-License-Identifier: Apache-2.0
// Formulates the decisions for a graph as the solvers' numbers.
//
// How a value with several uses is kept is a decision of its own: one gather then serves all its
// users, and its copy is counted once. The same holds for a value with a single use long after it
// is made. How inputs, parameters and constants are stored is a decision among the shardings that
// their users require. All other values go straight from their producer to their consumer, and the
// edge between the two nodes carries the redistribution cost.
//
// Size: the problem has about twice as many nodes as the graph. An edge has an entry for every pair
// of strategies, but routes are planned once per pair of distinct shardings and equal matrices are
// shared, so repeated layers cost nothing extra.
#include "planner/space/formulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "metair/ir/glob.h"
#include "metair/ir/micro_batches.h"
#include "metair/ir/repeats.h"
#include "metair/spmd/fusion.h"
#include "metair/training/value_roles.h"
#include "planner/rules/probe/black_box.h"
#include "planner/space/block_cyclic_spread.h"
#include "planner/space/edge_costs.h"
#include "planner/space/memory_rows.h"
#include "planner/space/partial_flow.h"
#include "planner/space/signature.h"
#include "planner/space/state_groups.h"
#include "planner/space/value_ends.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

using Kind = Formulation::Decision::Kind;

// A result whose only user is more than this many nodes later gets a decision of its own.
constexpr NodeId kLongWait = 4;

// Whether the types of a call's outputs can be inferred without the elements of a constant input
// (those of Compress cannot).
bool InfersWithout(OpCall call, size_t input) {
  const auto with = InferTypes(call);
  call.inputs[input].constant = nullptr;
  const auto without = InferTypes(call);
  return with.ok() && without.ok() && with.value() == without.value();
}

bool Whole(const Sharding& sharding) { return sharding.replicated(); }

class Formulator {
 public:
  Formulator(const FormulateRequest& request, Redistributor& routes)
      : request_(request),
        graph_(*request.graph),
        mesh_(routes.mesh()),
        routes_(routes),
        costs_(request.costs == nullptr ? own_costs_ : *request.costs),
        ends_(graph_, classes_, out_.strategies, costs_),
        uses_(UsesOf(graph_)),
        once_(NodesRunOnce(graph_)),
        states_(StateGroupsOf(graph_)) {}

  Result<Formulation> Run() {
    MarkKnown();
    TRY(ReadConstraints());
    FindStrategies();
    AddNodes();
    AddValues();
    AddStates();
    AddOutputs();
    AddFixed();
    AddEdges();
    PriceEdges();
    AddMemoryRows(graph_, *request_.ops, mesh_, out_);
    Tie();
    routes_.ForgetSearches();
    return std::move(out_);
  }

 private:
  Result<void> ReadConstraints() {
    std::vector<Error> problems;
    for (const Constraint& constraint : request_.constraints) {
      bool fits = false;
      for (size_t v = 0; v < graph_.values.size(); ++v) {
        const Value& value = graph_.values[v];
        if (!GlobFits(constraint.pattern, value.name)) continue;
        fits = true;
        auto sharding = ParseSharding(constraint.sharding, value.type.shape, mesh_);
        const std::string where =
            fmt::format("--constrain {}={}", constraint.pattern, constraint.sharding);
        if (!sharding.ok())
          problems.push_back(std::move(sharding).error().in(where));
        else if (known_[v] && !Whole(sharding.value()))
          problems.push_back(
              Usage(fmt::format("'{}' must be replicated, since shapes depend on it", value.name))
                  .in(where));
        else if (value.kind != ValueKind::kResult && !sharding.value().partial.empty())
          problems.push_back(
              Usage(fmt::format("'{}' is stored and cannot be partial", value.name)).in(where));
        else
          constrained_[static_cast<ValueId>(v)] = Normalize(
              WithHeldSums(sharding.value(), value.type.element, request_.reduce_in), mesh_);
      }
      if (!fits)
        problems.push_back(
            Usage(fmt::format("--constrain: no value matches '{}'", constraint.pattern),
                  "`metadist inspect MODEL --text` lists the values"));
    }
    for (const StateGroup& group : states_) CheckAgreement(group, problems);
    if (!problems.empty()) return Join(std::move(problems));
    return {};
  }

  // The constraint of the value, if it also decides how the value is placed as an output.
  const Sharding* EndConstraint(ValueId id) const {
    const auto at = constrained_.find(id);
    return at != constrained_.end() && at->second.partial.empty() ? &at->second : nullptr;
  }

  // The values of the group whose constraints hold for all of it.
  std::vector<ValueId> ConstrainedEnds(const StateGroup& group) const {
    std::vector<ValueId> ends = group.inputs;
    ends.push_back(group.output);
    std::erase_if(ends, [&](ValueId id) { return EndConstraint(id) == nullptr; });
    return ends;
  }

  void CheckAgreement(const StateGroup& group, std::vector<Error>& problems) const {
    const std::vector<ValueId> ends = ConstrainedEnds(group);
    for (size_t i = 1; i < ends.size(); ++i) {
      const Sharding& first = *EndConstraint(ends[0]);
      const Sharding& other = *EndConstraint(ends[i]);
      if (first == other) continue;
      problems.push_back(
          Usage(fmt::format("'{}' and '{}' are one state from step to step and need one sharding, "
                            "not {} and {}",
                            graph_.value(ends[0]).name,
                            graph_.value(ends[i]).name,
                            ShardingText(first, mesh_),
                            ShardingText(other, mesh_)))
              .in("--constrain"));
    }
  }

  // Marks constants that shape inference of some call needs: every rank has all their elements.
  void MarkKnown() {
    known_.assign(graph_.values.size(), false);
    for (const Node& node : graph_.nodes) {
      const OpDef* op = request_.ops->Find(node);
      const auto is_constant = [&](ValueId id) {
        return id != kNone && graph_.value(id).kind == ValueKind::kConstant;
      };
      if (op == nullptr || std::ranges::none_of(node.inputs, is_constant)) continue;
      const OpCall call = CallOf(*op, graph_, node);
      const BlackBox box(call);
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (is_constant(node.inputs[i]) && (!box.is_tensor(i) || !InfersWithout(call, i)))
          known_[static_cast<size_t>(node.inputs[i])] = true;
    }
  }

  // Everything that determines the strategies of a node.
  struct NodeKind {
    int number = 0;  // of its signature
    const Rule* rule = nullptr;
    std::vector<BlockCyclicFactor> layouts = {};
    std::vector<bool> passes = {};  // by pass-through of the rule: whether it is of use
    FusedOperands fused = {};
    bool every_order = false;
    auto key() const { return std::make_tuple(number, layouts, passes, fused, every_order); }
  };

  std::vector<NodeKind> KindsOfNodes() const {
    std::map<std::string, NodeKind> known;
    std::vector<NodeKind> kinds;
    std::vector<const Rule*> rules;
    for (const Node& node : graph_.nodes) {
      const auto [at, added] =
          known.try_emplace(SignatureOf(graph_, node, request_.ops->Find(node)));
      if (added) {
        const int number = static_cast<int>(known.size());
        at->second = {number, &request_.rule_of(node)};
      }
      kinds.push_back(at->second);
      rules.push_back(at->second.rule);
    }
    SetFused(kinds);
    if (!request_.every_pass) {
      const auto passes = ReachedPasses(graph_, rules);
      for (size_t n = 0; n < kinds.size(); ++n) kinds[n].passes = passes[n];
    }
    if (mesh_.ranks() == 1) return kinds;
    // What one axis cuts, another may cut again: states whose parameters are cut already.
    if (IsTrainingStep(graph_)) {
      const std::vector<bool> updates = UpdateNodes(graph_);
      for (size_t n = 0; n < kinds.size(); ++n) kinds[n].every_order = updates[n];
    }
    const auto layouts = SpreadBlockCyclic(graph_, rules, mesh_.ranks());
    for (size_t n = 0; n < kinds.size(); ++n) kinds[n].layouts = layouts[n];
    return kinds;
  }

  // Groups are those of whole values. A redistribution within a group ends it, which the program's
  // own price sees and the problem does not.
  void SetFused(std::vector<NodeKind>& kinds) const {
    if (routes_.cluster().profile->factor(kFusedBlockElements, 0) <= 0) return;
    const auto fused = FuseElementwise(graph_, {}, mesh_, *request_.ops);
    auto operands = FusedOperandsOf(graph_, fused, *request_.ops);
    for (size_t n = 0; n < kinds.size(); ++n) kinds[n].fused = std::move(operands[n]);
  }

  void FindStrategies() {
    StrategySpace space{&graph_,
                        request_.ops,
                        &mesh_,
                        &routes_.cluster(),
                        request_.strategy_limit,
                        &routes_,
                        request_.inner_rules,
                        request_.reduce_in};
    const std::vector<NodeKind> kinds = KindsOfNodes();
    std::map<decltype(NodeKind().key()), std::pair<int, StrategyList>> known;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const auto [at, added] = known.try_emplace(kinds[n].key());
      auto& [number, all] = at->second;
      if (added) {
        number = static_cast<int>(known.size());
        space.fused = &kinds[n].fused;
        space.every_order = kinds[n].every_order;
        all = std::make_shared<const std::vector<PricedStrategy>>(StrategiesOf(
            space, node, *kinds[n].rule, &out_.pruned, kinds[n].layouts, kinds[n].passes));
      }
      classes_.push_back(number);
      out_.strategies.push_back(all);
    }
  }

  // How often a node runs in a step.
  int64_t Runs(NodeId node) const {
    return once_[static_cast<size_t>(node)] ? 1 : graph_.micro_batches;
  }

  void AddNodes() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      ProblemNode node;
      for (const PricedStrategy& s : *out_.strategies[n])
        node.costs.push_back(Runs(static_cast<NodeId>(n)) * Picoseconds(s.compute.seconds));
      out_.problem.nodes.push_back(std::move(node));
      out_.problem.node_names.push_back(graph_.nodes[n].name);
      out_.decisions.push_back({Kind::kNode, static_cast<int32_t>(n), {}});
    }
  }

  // The candidates of a decision, and their numbers as source and target of edges.
  struct Candidates {
    std::shared_ptr<const std::vector<Sharding>> list;
    int source = 0;
    int target = 0;
  };

  Candidates MakeCandidates(const std::set<Sharding>& shardings) {
    std::vector<std::set<Sharding>> alone;
    for (const Sharding& sharding : shardings) alone.push_back({sharding});
    auto list = std::make_shared<const std::vector<Sharding>>(shardings.begin(), shardings.end());
    const int source = costs_.Source(*list);
    const auto [at, added] = lists_.try_emplace(source, Candidates{list, source, 0});
    if (added) at->second.target = costs_.Target(alone);
    return at->second;
  }

  int AddDecision(Kind kind, int32_t id, std::string name, const Candidates& candidates) {
    out_.decisions.push_back({kind, id, candidates.list});
    out_.problem.nodes.push_back({std::vector<int64_t>(candidates.list->size(), 0), {}});
    out_.problem.node_names.push_back(std::move(name));
    candidates_.resize(out_.decisions.size());
    candidates_.back() = candidates;
    return static_cast<int>(out_.decisions.size()) - 1;
  }

  Sharding ReplicatedFor(ValueId value) const {
    return Sharding::Replicated(graph_.value(value).type.shape.size());
  }

  std::vector<NodeId> Users(ValueId value) const {
    std::vector<NodeId> users;
    for (const Use& use : uses_[static_cast<size_t>(value)])
      if (use.node != kNone && (users.empty() || users.back() != use.node))
        users.push_back(use.node);
    return users;
  }

  std::set<Sharding> StoredCandidates(ValueId id) {
    std::set<Sharding> out{ReplicatedFor(id)};
    if (known_[static_cast<size_t>(id)]) return out;
    for (NodeId user : Users(id))
      for (Sharding sharding : *ends_.TakenBy(user, id).all) {
        sharding.partial.clear();
        out.insert(Normalize(sharding.WithoutHalos(), mesh_));
      }
    return out;
  }

  bool TakenWhole(ValueId id) {
    for (NodeId user : Users(id))
      for (const Sharding& sharding : *ends_.TakenBy(user, id).all)
        if (!Whole(sharding)) return false;
    return true;
  }

  // Without halos, which only one use needs, and without the excess elements that an operator
  // makes.
  std::set<Sharding> KeptCandidates(ValueId id) {
    std::set<Sharding> out;
    const auto add = [&](const std::set<Sharding>& shardings) {
      for (const Sharding& sharding : shardings)
        out.insert(sharding.has_halos() ? Normalize(sharding.WithoutHalos(), mesh_) : sharding);
    };
    add(ends_.MadeOf(id).all);
    for (NodeId user : Users(id)) add(*ends_.TakenBy(user, id).all);
    return out;
  }

  // Whether a result gets a decision of its own.
  bool IsKept(ValueId id) const {
    const std::vector<Use>& uses = uses_[static_cast<size_t>(id)];
    if (constrained_.count(id) > 0) return true;
    if (uses.empty()) return false;
    const std::vector<NodeId> users = Users(id);
    const size_t outputs = static_cast<size_t>(
        std::count_if(uses.begin(), uses.end(), [](const Use& u) { return u.node == kNone; }));
    if (users.size() + outputs > 1) return true;
    return outputs == 0 && users[0] - graph_.value(id).producer > kLongWait;
  }

  // Everything that StoredCandidates, KeptCandidates and TakenWhole depend on, as numbers.
  std::vector<int> KindOf(ValueId id) {
    const Value& value = graph_.value(id);
    const bool stored = value.kind != ValueKind::kResult;
    std::vector<int> kind{stored ? static_cast<int>(value.kind) : -1,
                          known_[static_cast<size_t>(id)] ? 1 : 0,
                          static_cast<int>(value.type.shape.size()),
                          stored ? -1 : ends_.MadeOf(id).source};
    for (NodeId user : Users(id)) kind.push_back(ends_.TakenBy(user, id).target);
    return kind;
  }

  Candidates CandidatesOf(ValueId id) {
    const auto constraint = constrained_.find(id);
    if (constraint != constrained_.end()) return MakeCandidates({constraint->second});
    const bool stored = graph_.value(id).kind != ValueKind::kResult;
    const auto [at, added] = of_kind_.try_emplace(KindOf(id));
    if (added) at->second = MakeCandidates(stored ? StoredCandidates(id) : KeptCandidates(id));
    return at->second;
  }

  void AddValues() {
    out_.fixed.resize(graph_.values.size());
    out_.where.of_value.assign(graph_.values.size(), -1);
    std::vector<bool> carried(graph_.values.size(), false);
    for (const StatePair& pair : graph_.state) {
      carried[static_cast<size_t>(pair.input)] = true;
      if (pair.sums) carried[static_cast<size_t>(pair.output)] = true;
    }
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const ValueId id = static_cast<ValueId>(v);
      const Value& value = graph_.values[v];
      out_.fixed[v] = ReplicatedFor(id);
      const bool stored = value.kind != ValueKind::kResult;
      if (carried[v] || (!stored && !IsKept(id))) continue;
      const Candidates candidates = CandidatesOf(id);
      const bool whole = candidates.list->size() == 1 && candidates.list->front() == out_.fixed[v];
      if (stored && whole && TakenWhole(id)) continue;
      out_.where.of_value[v] =
          AddDecision(stored ? Kind::kStored : Kind::kKept, id, value.name, candidates);
    }
  }

  std::set<Sharding> OutputCandidates(ValueId id) {
    std::set<Sharding> out{ReplicatedFor(id)};
    const int decision = out_.where.of_value[static_cast<size_t>(id)];
    std::vector<Sharding> from{out_.fixed[static_cast<size_t>(id)]};
    if (decision >= 0)
      from = *out_.decisions[static_cast<size_t>(decision)].candidates;
    else if (graph_.value(id).kind == ValueKind::kResult)
      from = ends_.MadeOf(id).by_strategy;
    const Shape& shape = graph_.value(id).type.shape;
    for (const Sharding& sharding : from) {
      Sharding reduced = sharding.WithoutSpares().WithoutHalos();
      reduced.partial.clear();
      out.insert(reduced);
      // Reduce-scattered along an uncut dim.
      std::vector<int> axes;
      for (const Partial& partial : sharding.partial) axes.push_back(partial.axis);
      for (size_t d = 0; d < shape.size() && !axes.empty(); ++d) {
        if (!reduced.dims[d].whole() || shape[d] < mesh_.size(axes)) continue;
        Sharding scattered = reduced;
        scattered.dims[d] = DimSharding::Cut(shape[d], axes);
        out.insert(Normalize(scattered, mesh_));
      }
    }
    return out;
  }

  // As the uses of the state require it, or as its new value is made. Sums may be partial.
  std::set<Sharding> StateCandidates(const StateGroup& group) {
    const std::vector<ValueId> ends = ConstrainedEnds(group);
    if (!ends.empty()) return {*EndConstraint(ends[0])};
    std::set<Sharding> all;
    for (const ValueId input : group.inputs) all.merge(StoredCandidates(input));
    all.merge(group.sums ? KeptCandidates(group.output) : OutputCandidates(group.output));
    std::set<Sharding> out;
    for (const Sharding& sharding : all) out.insert(Normalize(sharding.WithoutSpares(), mesh_));
    return out;
  }

  // State has the same sharding at the start of a step as at the end of the previous one: one
  // decision for both. So has a sum from one micro-batch to the next.
  void AddStates() {
    out_.where.of_output.assign(graph_.outputs.size(), -1);
    for (const StateGroup& group : states_) {
      const ValueId first = group.inputs[0];
      const int decision = AddDecision(
          Kind::kStored, first, graph_.value(first).name, MakeCandidates(StateCandidates(group)));
      for (const ValueId input : group.inputs)
        out_.where.of_value[static_cast<size_t>(input)] = decision;
      if (group.sums) out_.where.of_value[static_cast<size_t>(group.output)] = decision;
      for (const size_t position : group.positions) out_.where.of_output[position] = decision;
    }
  }

  void AddOutputs() {
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (out_.where.of_output[i] >= 0) continue;
      const ValueId id = graph_.outputs[i];
      const Sharding* constraint = EndConstraint(id);
      out_.where.of_output[i] =
          AddDecision(Kind::kOutput,
                      static_cast<int32_t>(i),
                      fmt::format("output {}", graph_.value(id).name),
                      MakeCandidates(constraint != nullptr ? std::set<Sharding>{*constraint}
                                                           : OutputCandidates(id)));
    }
  }

  // A decision with one option carries the memory of all values without a decision.
  void AddFixed() {
    out_.decisions.push_back({Kind::kFixed, 0, {}});
    out_.problem.nodes.push_back({{0}, {}});
    out_.problem.node_names.push_back("fixed");
  }

  // times: how often the redistribution takes place in a step.
  void AddEdge(int a, int b, const TensorType& type, int source, int target, int64_t times) {
    if (a == b) return;  // state that is not changed
    ends_of_edges_.emplace_back(a, b);
    edges_.push_back({&type, source, target, times});
  }

  void PriceEdges() {
    costs_.Price(edges_, routes_, request_.threads);
    for (size_t i = 0; i < edges_.size(); ++i) {
      CostMatrix matrix = costs_.Between(edges_[i]);
      if (matrix)
        out_.problem.edges.push_back(
            {ends_of_edges_[i].first, ends_of_edges_[i].second, std::move(matrix)});
    }
  }

  bool IsSum(ValueId made) const {
    return std::ranges::any_of(
        states_, [&](const StateGroup& group) { return group.sums && group.output == made; });
  }

  const Candidates& CandidatesAt(int decision) const {
    return candidates_[static_cast<size_t>(decision)];
  }

  void AddEdges() {
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const ValueId id = static_cast<ValueId>(v);
      const Value& value = graph_.values[v];
      const int decision = out_.where.of_value[v];
      const bool result = value.kind == ValueKind::kResult;
      if (!result && decision < 0) continue;  // replicated for every use
      const int64_t made = result ? Runs(value.producer) : 1;
      int at = decision;
      int source = result ? ends_.MadeOf(id).source : -1;
      if (decision >= 0) {
        const Candidates& candidates = CandidatesAt(decision);
        if (result) AddEdge(value.producer, decision, value.type, source, candidates.target, made);
        source = candidates.source;
      } else {
        at = value.producer;
      }
      for (NodeId user : Users(id))
        AddEdge(at, user, value.type, source, ends_.TakenBy(user, id).target, Runs(user));
      for (const Use& use : uses_[v]) {
        if (use.node != kNone) continue;
        const int output = out_.where.of_output[static_cast<size_t>(use.input)];
        AddEdge(at, output, value.type, source, CandidatesAt(output).target, IsSum(id) ? 1 : made);
      }
    }
  }

  // The decision corresponding to `decision` in the first of the repeated layers.
  int LeaderOf(int decision, const std::vector<NodeId>& leaders) const {
    const Formulation::Decision& d = out_.decisions[static_cast<size_t>(decision)];
    const auto leader = [&](NodeId node) { return leaders[static_cast<size_t>(node)]; };
    if (d.kind == Kind::kNode) return leader(d.id);
    if (d.kind != Kind::kStored && d.kind != Kind::kKept) return decision;
    const bool kept = d.kind == Kind::kKept;
    if (!kept && (uses_[static_cast<size_t>(d.id)].empty() ||
                  uses_[static_cast<size_t>(d.id)][0].node == kNone))
      return decision;
    const NodeId at = kept ? graph_.value(d.id).producer : uses_[static_cast<size_t>(d.id)][0].node;
    if (leader(at) == at) return decision;
    const auto& own = kept ? graph_.node(at).outputs : graph_.node(at).inputs;
    const auto& first = kept ? graph_.node(leader(at)).outputs : graph_.node(leader(at)).inputs;
    const size_t position =
        static_cast<size_t>(std::find(own.begin(), own.end(), d.id) - own.begin());
    if (position >= first.size() || first[position] == kNone) return decision;
    const int found = out_.where.of_value[static_cast<size_t>(first[position])];
    return found < 0 ? decision : found;
  }

  bool SameChoices(int a, int b) const {
    const Formulation::Decision& x = out_.decisions[static_cast<size_t>(a)];
    const Formulation::Decision& y = out_.decisions[static_cast<size_t>(b)];
    if (x.kind != y.kind) return false;
    // Equal lists of candidates are shared.
    if (x.kind != Kind::kNode) return x.candidates == y.candidates;
    if (out_.strategies[static_cast<size_t>(x.id)] == out_.strategies[static_cast<size_t>(y.id)])
      return true;
    const auto& left = *out_.strategies[static_cast<size_t>(x.id)];
    const auto& right = *out_.strategies[static_cast<size_t>(y.id)];
    return std::ranges::equal(
        left, right, {}, &PricedStrategy::strategy, &PricedStrategy::strategy);
  }

  void Tie() {
    const std::vector<NodeId> leaders = LeadersOf(graph_, FindRepeats(graph_, classes_));
    std::vector<int>& tied = out_.problem.tied;
    for (size_t d = 0; d < out_.decisions.size(); ++d) {
      const int self = static_cast<int>(d);
      const int leader = LeaderOf(self, leaders);
      const bool follows = leader < self && SameChoices(leader, self);
      tied.push_back(follows ? tied[static_cast<size_t>(leader)] : self);
      out_.tied_nodes += follows;
    }
  }

  const FormulateRequest& request_;
  const Graph& graph_;
  const Mesh& mesh_;
  Redistributor& routes_;
  Formulation out_;
  std::vector<int> classes_;  // by node: nodes of one class share their list of strategies
  EdgeCosts own_costs_;
  EdgeCosts& costs_;
  std::vector<EdgeCosts::Edge> edges_;
  std::vector<std::pair<int, int>> ends_of_edges_;  // decisions
  ValueEnds ends_;
  std::map<int, Candidates> lists_;                 // by source number
  std::map<std::vector<int>, Candidates> of_kind_;  // by KindOf
  std::vector<Candidates> candidates_;              // by decision
  const std::vector<std::vector<Use>> uses_;
  const std::vector<bool> once_;  // by node
  std::map<ValueId, Sharding> constrained_;
  std::vector<bool> known_;  // by value
  const std::vector<StateGroup> states_;
};

}  // namespace

Result<Formulation> Formulate(const FormulateRequest& request, Redistributor& routes) {
  return Formulator(request, routes).Run();
}

int64_t Formulation::num_strategies() const {
  int64_t count = 0;
  for (const ProblemNode& node : problem.nodes) count += static_cast<int64_t>(node.costs.size());
  return count;
}

Assignment Formulation::Decode(const Graph& graph, const Choice& choice) const {
  Assignment out;
  for (size_t n = 0; n < strategies.size(); ++n)
    out.nodes.push_back((*strategies[n])[static_cast<size_t>(choice[n])].strategy);
  out.values = fixed;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (size_t o = 0; o < graph.nodes[n].outputs.size(); ++o)
      if (graph.nodes[n].outputs[o] != kNone)
        out.values[static_cast<size_t>(graph.nodes[n].outputs[o])] = out.nodes[n].outputs[o];
  const auto chosen = [&](int decision) {
    const size_t d = static_cast<size_t>(decision);
    return (*decisions[d].candidates)[static_cast<size_t>(choice[d])];
  };
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (where.of_value[v] >= 0) out.values[v] = chosen(where.of_value[v]);
  for (const int decision : where.of_output) out.outputs.push_back(chosen(decision));
  // A result that is only an output is kept as the output is placed.
  const auto uses = UsesOf(graph);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const size_t id = static_cast<size_t>(graph.outputs[i]);
    const bool free = where.of_value[id] < 0 && graph.values[id].kind == ValueKind::kResult;
    if (free && uses[id].size() == 1) out.values[id] = out.outputs[i];
  }
  return out;
}

}  // namespace metadist
