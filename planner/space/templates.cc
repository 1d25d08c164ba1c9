// SPDX-License-Identifier: Apache-2.0
// Templates as restrictions of a problem.
//
// A template gives every mesh axis a role. What the role excludes is read off the strategies, by
// what they do along that axis to inputs, weights, gradients and states (value_roles.h); no
// operator is known by name. Three things are forbidden: strategies of nodes, shardings of stored
// values, and transitions from one sharding to another, as edges that cost nothing or are
// forbidden.
//
// Sources: Rajbhandari et al. 2020, "ZeRO" (stages 1 to 3); Shoeybi et al. 2019, "Megatron-LM";
// Korthikanti et al. 2022, "Reducing activation recomputation" (sequence parallelism).
#include "planner/space/templates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>

#include "metair/ir/suggest.h"
#include "metair/training/value_roles.h"
#include "planner/solvers/solver.h"

namespace metadist {
namespace {

struct NamedRole {
  std::string_view name;
  AxisRole role;
};

constexpr std::array<NamedRole, 8> kRoles{{{"auto", AxisRole::kFree},
                                           {"replicate", AxisRole::kReplicate},
                                           {"dp", AxisRole::kData},
                                           {"zero1", AxisRole::kZero1},
                                           {"zero2", AxisRole::kZero2},
                                           {"zero3", AxisRole::kZero3},
                                           {"megatron", AxisRole::kMegatron},
                                           {"megatron+sp", AxisRole::kMegatronSequence}}};

Result<AxisRole> ParseRole(std::string_view text) {
  for (const NamedRole& role : kRoles)
    if (role.name == text) return role.role;
  std::vector<std::string> names;
  for (const NamedRole& role : kRoles) names.emplace_back(role.name);
  const std::string meant = DidYouMean(text, names);
  return Usage(fmt::format("--template: unknown template '{}'", text),
               meant.empty() ? "known: " + TemplateNames() : meant);
}

bool CutsData(AxisRole role) { return role >= AxisRole::kData && role <= AxisRole::kZero3; }
bool CutsStates(AxisRole role) { return role >= AxisRole::kZero1 && role <= AxisRole::kZero3; }
bool CutsWeights(AxisRole role) { return role >= AxisRole::kMegatron; }

bool CutsDim(const DimSharding& dim, int axis) {
  for (const DimPart& part : dim.parts)
    for (const SubDim& sub : part.sub)
      if (std::ranges::count(sub.axes, axis) > 0) return true;
  return false;
}

// The dim that the axis cuts, or -1.
int CutDim(const Sharding& sharding, int axis) {
  for (size_t d = 0; d < sharding.dims.size(); ++d)
    if (CutsDim(sharding.dims[d], axis)) return static_cast<int>(d);
  return -1;
}

bool PartialOn(const Sharding& sharding, int axis) {
  return std::ranges::count(sharding.partial, axis, &Partial::axis) > 0;
}

bool WholeOn(const Sharding& sharding, int axis) {
  return CutDim(sharding, axis) < 0 && !PartialOn(sharding, axis);
}

// The dim as the axis alone cuts it.
DimSharding CutOnlyBy(DimSharding dim, int axis, const Mesh& mesh) {
  dim.halo = {};
  dim.spare = false;
  for (DimPart& part : dim.parts)
    for (SubDim& sub : part.sub) std::erase_if(sub.axes, [&](int a) { return a != axis; });
  return Normalize(dim, mesh);
}

// How a value may move along an axis.
struct Moves {
  bool gather = false;   // from pieces to the whole
  bool scatter = false;  // from summands to pieces
  bool slice = true;     // from the whole to pieces
};

// What one edge of the problem moves.
enum class Flow : uint8_t { kWeight, kGradient, kUpdated, kOther };

Moves MovesOf(AxisRole role, Flow flow) {
  switch (role) {
    case AxisRole::kFree:
    case AxisRole::kMegatronSequence:
      return {true, true, true};
    case AxisRole::kZero1:
    case AxisRole::kZero2:
      return {flow == Flow::kUpdated, flow == Flow::kGradient, true};
    case AxisRole::kZero3:
      return {flow == Flow::kWeight, flow == Flow::kGradient, true};
    case AxisRole::kMegatron:
      return {false, false, flow != Flow::kOther};
    case AxisRole::kReplicate:
    case AxisRole::kData:
      return {};
  }
  return {};
}

class Restrictor {
 public:
  Restrictor(const std::vector<AxisRole>& roles,
             const Graph& graph,
             const Mesh& mesh,
             Formulation& formulation)
      : roles_(roles),
        graph_(graph),
        mesh_(mesh),
        out_(formulation),
        values_(RolesOf(graph)),
        updates_(UpdateNodes(graph)) {}

  void RestrictStrategies() {
    MarkWeights();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) RestrictNode(static_cast<NodeId>(n));
    for (size_t d = 0; d < out_.decisions.size(); ++d)
      if (out_.decisions[d].candidates != nullptr) RestrictValue(d);
  }

  // any: gathers and scatters are allowed everywhere.
  void RestrictMoves(bool any) {
    any_ = any;
    matrices_.clear();
    const auto uses = UsesOf(graph_);
    for (size_t v = 0; v < graph_.values.size(); ++v)
      RestrictUses(static_cast<ValueId>(v), uses[v]);
  }

 private:
  using Kind = Formulation::Decision::Kind;

  ValueRole ValueRoleOf(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  int num_axes() const { return static_cast<int>(mesh_.axes.size()); }
  AxisRole RoleOf(int axis) const { return roles_[static_cast<size_t>(axis)]; }

  bool IsState(ValueId id) const {
    return id != kNone && (ValueRoleOf(id) == ValueRole::kOptimizerState ||
                           (ValueRoleOf(id) == ValueRole::kWeight &&
                            graph_.value(id).kind == ValueKind::kParameter));
  }

  // Forbids the strategies whose score is less than the best of any.
  template <typename Score>
  void KeepBest(size_t decision, size_t count, const Score& score) {
    std::vector<int64_t> scores;
    for (size_t s = 0; s < count; ++s) scores.push_back(score(s));
    const int64_t most = *std::ranges::max_element(scores);
    for (size_t s = 0; s < count; ++s)
      if (scores[s] < most) out_.problem.nodes[decision].costs[s] = kForbidden;
  }

  // What nodes do with a weight.
  enum class Weight : uint8_t {
    kTable,       // no factor cuts it together with another operand: rows are looked up in it
    kJoined,      // some factor does
    kContracted,  // and makes a partial result
  };

  // Finds what nodes do with weights.
  void MarkWeights() {
    weights_.assign(graph_.values.size(), Weight::kTable);
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const ValueId id = node.inputs[i];
        if (id == kNone || ValueRoleOf(id) != ValueRole::kWeight || updates_[n]) continue;
        Weight& weight = weights_[static_cast<size_t>(id)];
        // A weight is what is made of it alone, too.
        for (const ValueId made : node.outputs)
          if (made != kNone && ValueRoleOf(made) == ValueRole::kWeight)
            weight = std::max(weight, weights_[static_cast<size_t>(made)]);
        weight = std::max(weight, UseOf(n, i));
      }
    }
  }

  Weight UseOf(size_t node, size_t input) const {
    const std::vector<ValueId>& inputs = graph_.nodes[node].inputs;
    Weight use = Weight::kTable;
    for (const PricedStrategy& s : *out_.strategies[node])
      for (int axis = 0; axis < num_axes(); ++axis) {
        const std::vector<Sharding>& taken = s.strategy.inputs;
        if (CutDim(taken[input], axis) < 0) continue;
        bool joined = false, with_data = false;
        for (size_t i = 0; i < inputs.size(); ++i) {
          if (inputs[i] == kNone || inputs[i] == inputs[input] || CutDim(taken[i], axis) < 0)
            continue;
          joined = true;
          with_data = with_data || ValueRoleOf(inputs[i]) != ValueRole::kWeight;
        }
        if (joined) use = std::max(use, Weight::kJoined);
        for (const Sharding& made : s.strategy.outputs)
          if (with_data && PartialOn(made, axis)) return Weight::kContracted;
      }
    return use;
  }

  // By axis, how well a strategy plays its role; strategies are compared by the sum.
  int64_t Score(NodeId id, const Strategy& strategy, int axis) const {
    const Node& node = graph_.node(id);
    const AxisRole role = RoleOf(axis);
    const bool update = updates_[static_cast<size_t>(id)];
    if (role == AxisRole::kReplicate || (update && role == AxisRole::kData))
      return strategy.axes[static_cast<size_t>(axis)].empty();
    int64_t score = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (input == kNone) continue;
      const bool cut = CutDim(strategy.inputs[i], axis) >= 0;
      if (update && CutsStates(role)) score += IsState(input) && cut;
      if (update || ValueRoleOf(input) != ValueRole::kWeight) continue;
      const Weight weight = weights_[static_cast<size_t>(input)];
      if (weight == Weight::kContracted && CutsData(role)) score += !cut;
      if (weight == Weight::kContracted && CutsWeights(role)) score += cut;
      if (weight == Weight::kTable && CutsWeights(role)) score += !cut;
    }
    return score;
  }

  void RestrictNode(NodeId id) {
    const StrategyList& list = out_.strategies[static_cast<size_t>(id)];
    KeepBest(static_cast<size_t>(id), list->size(), [&](size_t s) {
      int64_t score = 0;
      for (int axis = 0; axis < num_axes(); ++axis) score += Score(id, (*list)[s].strategy, axis);
      return score;
    });
  }

  // What a stored value is to a role: cut, whole, or as it comes.
  enum class Storage : uint8_t { kAny, kCut, kFirstDim, kWhole };

  static Storage StorageOf(Weight weight) {
    if (weight == Weight::kContracted) return Storage::kCut;
    return weight == Weight::kTable ? Storage::kWhole : Storage::kAny;
  }

  Storage StorageOf(ValueId id, AxisRole role) const {
    switch (ValueRoleOf(id)) {
      case ValueRole::kData:
        return CutsData(role) ? Storage::kFirstDim
                              : (role == AxisRole::kFree ? Storage::kAny : Storage::kWhole);
      case ValueRole::kWeight:
        if (CutsWeights(role)) return StorageOf(weights_[static_cast<size_t>(id)]);
        if (role == AxisRole::kZero3) return Storage::kCut;
        return role == AxisRole::kFree ? Storage::kAny : Storage::kWhole;
      case ValueRole::kOptimizerState:
        if (CutsStates(role)) return Storage::kCut;
        return role == AxisRole::kData || role == AxisRole::kReplicate ? Storage::kWhole
                                                                       : Storage::kAny;
      case ValueRole::kGradient:  // the sum over micro-batches
        if (role == AxisRole::kZero2 || role == AxisRole::kZero3) return Storage::kCut;
        return role == AxisRole::kReplicate ? Storage::kWhole : Storage::kAny;
      default:
        return role == AxisRole::kReplicate ? Storage::kWhole : Storage::kAny;
    }
  }

  void RestrictValue(size_t decision) {
    const Formulation::Decision& d = out_.decisions[decision];
    const std::vector<Sharding>& candidates = *d.candidates;
    const ValueId id = d.kind == Kind::kOutput ? graph_.outputs[static_cast<size_t>(d.id)] : d.id;
    const bool stored = d.kind == Kind::kStored;
    KeepBest(decision, candidates.size(), [&](size_t c) {
      int64_t score = 0;
      for (int axis = 0; axis < num_axes(); ++axis) {
        const AxisRole role = RoleOf(axis);
        const int dim = CutDim(candidates[c], axis);
        const Storage storage = stored                         ? StorageOf(id, role)
                                : role == AxisRole::kReplicate ? Storage::kWhole
                                                               : Storage::kAny;
        if (storage == Storage::kCut) score += dim >= 0;
        if (storage == Storage::kFirstDim) score += dim == 0 ? 2 : dim < 0;
        if (storage == Storage::kWhole) score += WholeOn(candidates[c], axis);
        // The first stage reduces gradients on every rank.
        if (role == AxisRole::kZero1 && ValueRoleOf(id) == ValueRole::kGradient) score += dim < 0;
      }
      return score;
    });
  }

  // What one axis does to a value.
  struct AxisUse {
    int dim = -1;  // that it cuts, or -1
    bool partial = false;
    DimSharding cut = {};  // the dim as this axis alone cuts it
  };

  // The shardings that a decision has for a value, by strategy (a node may take a value several
  // times), and then by axis. Computed once for all decisions with one list of strategies.
  using Side = std::vector<std::vector<std::vector<AxisUse>>>;
  struct End {
    int decision = -1;
    const Side* side = nullptr;
  };

  std::vector<AxisUse> UsesIn(const Sharding& sharding) const {
    std::vector<AxisUse> out;
    for (int axis = 0; axis < num_axes(); ++axis) {
      const int dim = CutDim(sharding, axis);
      out.push_back({dim, PartialOn(sharding, axis), {}});
      if (dim >= 0)
        out.back().cut = CutOnlyBy(sharding.dims[static_cast<size_t>(dim)], axis, mesh_);
    }
    return out;
  }

  // places: of the value among the outputs or the inputs.
  const Side* SideOf(const StrategyList& list, bool made, const std::vector<size_t>& places) {
    const auto [at, added] = sides_.try_emplace({list.get(), made, places});
    if (!added) return &at->second;
    for (const PricedStrategy& s : *list) {
      auto& uses = at->second.emplace_back();
      for (const size_t place : places)
        uses.push_back(UsesIn((made ? s.strategy.outputs : s.strategy.inputs)[place]));
    }
    return &at->second;
  }

  End OfDecision(int decision) {
    const auto& candidates = out_.decisions[static_cast<size_t>(decision)].candidates;
    const auto [at, added] = sides_.try_emplace({candidates.get(), false, {}});
    if (added)
      for (const Sharding& s : *candidates) at->second.push_back({UsesIn(s)});
    return {decision, &at->second};
  }

  End MadeBy(NodeId node, ValueId id) {
    const std::vector<ValueId>& outputs = graph_.node(node).outputs;
    const size_t place = static_cast<size_t>(std::ranges::find(outputs, id) - outputs.begin());
    return {node, SideOf(out_.strategies[static_cast<size_t>(node)], /*made=*/true, {place})};
  }

  End TakenBy(NodeId node, ValueId id) {
    const std::vector<ValueId>& inputs = graph_.node(node).inputs;
    std::vector<size_t> places;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == id) places.push_back(i);
    return {node, SideOf(out_.strategies[static_cast<size_t>(node)], /*made=*/false, places)};
  }

  Flow FlowOf(ValueId id) const {
    switch (ValueRoleOf(id)) {
      case ValueRole::kWeight:
        return Flow::kWeight;
      case ValueRole::kGradient:
        return Flow::kGradient;
      case ValueRole::kUpdated:
        return Flow::kUpdated;
      default:
        return Flow::kOther;
    }
  }

  void RestrictUses(ValueId id, const std::vector<Use>& uses) {
    const int decision = out_.where.of_value[static_cast<size_t>(id)];
    const NodeId producer = graph_.value(id).producer;
    if (producer == kNone && decision < 0) return;
    const End from = decision >= 0 ? OfDecision(decision) : MadeBy(producer, id);
    if (producer != kNone && decision >= 0) Link(MadeBy(producer, id), from, FlowOf(id));
    NodeId last = kNone;
    for (const Use& use : uses) {
      if (use.node == kNone) {
        const int output = out_.where.of_output[static_cast<size_t>(use.input)];
        if (output != from.decision) Link(from, OfDecision(output), FlowOf(id));
      } else if (use.node != last) {
        last = use.node;
        Link(from, TakenBy(use.node, id), FlowOf(id));
      }
    }
  }

  bool MayMove(const std::vector<AxisUse>& from, const std::vector<AxisUse>& to, Flow flow) const {
    for (int axis = 0; axis < num_axes(); ++axis) {
      if (RoleOf(axis) == AxisRole::kFree) continue;
      const auto [gather, scatter, slice] =
          any_ ? Moves{true, true, true} : MovesOf(RoleOf(axis), flow);
      const AxisUse& before = from[static_cast<size_t>(axis)];
      const AxisUse& after = to[static_cast<size_t>(axis)];
      if (before.dim >= 0 && after.dim < 0 && !gather) return false;
      if (before.dim < 0 && after.dim >= 0 && !(before.partial ? scatter : slice)) return false;
      if (before.dim < 0 || after.dim < 0) continue;
      if (before.dim != after.dim || before.cut != after.cut) return false;
    }
    return true;
  }

  // nullptr if every move is allowed.
  CostMatrix MakeMatrix(const Side& from, const Side& to, Flow flow) const {
    std::vector<int64_t> matrix;
    bool free = true;
    for (const auto& source : from)
      for (const auto& targets : to) {
        const bool moves = std::ranges::all_of(
            targets, [&](const auto& target) { return MayMove(source[0], target, flow); });
        matrix.push_back(moves ? 0 : kForbidden);
        free = free && moves;
      }
    return free ? nullptr : std::make_shared<const std::vector<int64_t>>(std::move(matrix));
  }

  void Link(const End& from, const End& to, Flow flow) {
    if (from.decision == to.decision) return;
    const auto [at, added] = matrices_.try_emplace({from.side, to.side, flow});
    if (added) at->second = MakeMatrix(*from.side, *to.side, flow);
    if (at->second) out_.problem.edges.push_back({from.decision, to.decision, at->second});
  }

  const std::vector<AxisRole>& roles_;
  const Graph& graph_;
  const Mesh& mesh_;
  Formulation& out_;
  const std::vector<ValueRole> values_;
  const std::vector<bool> updates_;
  std::vector<Weight> weights_;  // by value
  bool any_ = false;
  std::map<std::tuple<const void*, bool, std::vector<size_t>>, Side> sides_;
  std::map<std::tuple<const Side*, const Side*, Flow>, CostMatrix> matrices_;
};

Result<std::vector<AxisRole>> RolesOnMesh(const PlanTemplate& wanted,
                                          const Graph& graph,
                                          const Mesh& mesh) {
  std::vector<AxisRole> roles(mesh.axes.size(), wanted.all);
  for (const auto& [name, role] : wanted.axes) {
    const int axis = mesh.Find(name);
    if (axis < 0)
      return Usage(fmt::format(
          "--template {}: mesh {} has no axis '{}'", wanted.name, MeshText(mesh), name));
    roles[static_cast<size_t>(axis)] = role;
  }
  const bool of_training = std::ranges::any_of(
      roles, [](AxisRole role) { return role == AxisRole::kZero1 || role == AxisRole::kZero2; });
  if (of_training && !IsTrainingStep(graph))
    return Usage(fmt::format("--template {}: there are no optimizer states to divide", wanted.name),
                 "make a training step with --train, or take dp or zero3");
  return roles;
}

// Whether some choice observes all that is forbidden, with repeated layers tied.
bool IsPossible(Problem problem) {
  std::map<CostMatrix, CostMatrix> known;
  const auto clear = [](std::vector<int64_t>& costs) {
    for (int64_t& cost : costs) cost = cost >= kForbiddenFrom ? kForbidden : 0;
  };
  for (ProblemNode& node : problem.nodes) {
    clear(node.costs);
    node.rows.clear();
  }
  for (ProblemEdge& edge : problem.edges) {
    const auto [at, added] = known.try_emplace(edge.costs);
    if (added) {
      std::vector<int64_t> costs = *edge.costs;
      clear(costs);
      at->second = std::make_shared<const std::vector<int64_t>>(std::move(costs));
    }
    edge.costs = at->second;
  }
  const auto solved = DefaultSolver().solve(problem, {});
  return solved.ok() && !solved.value().choice.empty();
}

}  // namespace

Result<PlanTemplate> ParseTemplate(std::string_view text) {
  PlanTemplate out{std::string(text), AxisRole::kFree, {}};
  if (text.find(':') == std::string_view::npos) {
    out.all = TRY(ParseRole(text));
    return out;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const size_t colon = part.find(':');
    if (colon == std::string_view::npos || colon == 0)
      return Usage(fmt::format("--template: expected AXIS:NAME, got '{}'", part),
                   "for example --template data:zero3,model:megatron");
    const std::string axis(part.substr(0, colon));
    if (std::ranges::count(out.axes, axis, &std::pair<std::string, AxisRole>::first) > 0)
      return Usage(fmt::format("--template: axis '{}' is given twice", axis));
    out.axes.emplace_back(axis, TRY(ParseRole(part.substr(colon + 1))));
    begin = end + 1;
  }
  return out;
}

std::string TemplateNames() {
  std::vector<std::string_view> names;
  for (const NamedRole& role : kRoles) names.push_back(role.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<void> Restrict(const PlanTemplate& wanted,
                      const Graph& graph,
                      const Mesh& mesh,
                      Formulation& formulation) {
  if (wanted.free()) return {};
  const std::vector<AxisRole> roles = TRY(RolesOnMesh(wanted, graph, mesh));
  Restrictor restrictor(roles, graph, mesh, formulation);
  restrictor.RestrictStrategies();
  const size_t edges = formulation.problem.edges.size();
  for (const bool any : {false, true}) {
    restrictor.RestrictMoves(any);
    if (IsPossible(formulation.problem)) return {};
    formulation.problem.edges.resize(edges);
  }
  return {};
}

}  // namespace metadist
