// SPDX-License-Identifier: Apache-2.0
// The strategies of a node: each mesh axis takes a factor of its rule, a pass-through, or none.
//
// With f factors and k axes there are (f + 1)^k candidates. A candidate is dropped if a factor has
// too few groups, if cuts of one dim do not nest, if a value would be partial in two ways, if an
// earlier candidate has the same shardings, or if the operator's own inference does not accept the
// local call on the first, the last and the widest rank or infers other shapes than the rule
// promises. So a wrong rule costs a strategy here, not a crash later.
#include "planner/space/strategies.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "metair/ir/check.h"
#include "planner/space/around.h"
#include "planner/space/dim_cuts.h"
#include "planner/space/expansion.h"
#include "planner/space/local_call.h"
#include "planner/space/widest_rank.h"

namespace metadist {
namespace {

// By axis: kIdle, a factor, or factors.size() + a pass-through.
using Choices = std::vector<int>;

class Builder {
 public:
  Builder(const StrategySpace& space, const Node& node, const Rule& rule)
      : space_(space), node_(node), rule_(rule) {}

  // order: of the axes that share a factor, major to minor.
  std::optional<Strategy> Build(const Choices& choices, const std::vector<int>& order) {
    axes_of_.clear();
    for (const int axis : order) {
      const int choice = choices[static_cast<size_t>(axis)];
      if (choice != kIdle && choice < factors()) axes_of_[choice].push_back(axis);
    }
    for (const auto& [factor, axes] : axes_of_)
      if (!Enough(Of(factor), space_.mesh->size(axes))) return std::nullopt;

    Strategy out;
    for (size_t a = 0; a < choices.size(); ++a) out.axes.push_back(NameOf(choices[a]));
    if (!Place(node_.inputs, &Factor::inputs, out.inputs)) return std::nullopt;
    if (!Place(node_.outputs, &Factor::outputs, out.outputs)) return std::nullopt;
    if (!PlaceLiterals(out) || !PlaceIndices(out)) return std::nullopt;
    AddPartials(choices, out);
    if (!Tidy(node_.inputs, out.inputs) || !Tidy(node_.outputs, out.outputs)) return std::nullopt;
    for (const Sharding& made : out.outputs)
      if (!CanDropHalos(made)) return std::nullopt;
    DropSpares(out);
    return out;
  }

 private:
  int factors() const { return static_cast<int>(rule_.factors.size()); }
  const Factor& Of(int factor) const { return rule_.factors[static_cast<size_t>(factor)]; }

  std::string NameOf(int choice) const {
    if (choice == kIdle) return "";
    if (choice < factors()) return Of(choice).name;
    const auto& pass = rule_.pass_through[static_cast<size_t>(choice - factors())];
    return "~" + std::string(Name(pass.op));
  }

  static bool Enough(const Factor& factor, int64_t ranks) {
    if (factor.groups() < ranks * std::max<int64_t>(factor.least_piece, 1)) return false;
    if (!factor.even_only) return true;
    for (const std::vector<Cut>* cuts : {&factor.inputs, &factor.outputs})
      for (const Cut& cut : *cuts)
        for (const Cut::Part& part : cut.parts)
          if (part.size % ranks != 0) return false;
    return true;
  }

  bool Place(const std::vector<ValueId>& values,
             std::vector<Cut> Factor::* cuts,
             std::vector<Sharding>& out) const {
    std::vector<AxesOnCut> all;  // by tensor and dim
    for (const auto& [factor, axes] : axes_of_)
      for (const Cut& cut : Of(factor).*cuts) all.push_back({&cut, axes});
    const auto place_of = [](const AxesOnCut& one) {
      return std::make_pair(one.cut->tensor, one.cut->dim);
    };
    std::ranges::stable_sort(all, {}, place_of);
    for (ValueId value : values)
      out.push_back(value == kNone
                        ? Sharding{}
                        : Sharding::Replicated(space_.graph->value(value).type.shape.size()));
    for (auto first = all.begin(), end = first; first != all.end(); first = end) {
      const auto [own_tensor, own_dim] = place_of(*first);
      end = std::find_if(first, all.end(), [&](const AxesOnCut& one) {
        return place_of(one) != place_of(*first);
      });
      const size_t tensor = static_cast<size_t>(own_tensor);
      if (tensor >= values.size() || values[tensor] == kNone) continue;
      const Shape& shape = space_.graph->value(values[tensor]).type.shape;
      const size_t dim = static_cast<size_t>(own_dim);
      if (dim >= shape.size()) return false;
      const bool spare = std::any_of(first, end, [](const auto& one) { return one.cut->spare; });
      auto placed = ShardingOfCuts(shape[dim], {first, end});
      if (!placed) return false;
      placed->spare = spare;
      out[tensor].dims[dim] = std::move(*placed);
    }
    return true;
  }

  // Integers that depend on where a piece begins or ends: one literal for each cut, since several
  // cuts may change the same integer.
  bool PlaceMoves(Strategy& out) const {
    for (const auto& [factor, axes] : axes_of_)
      for (const LiteralCut& cut : Of(factor).literals) {
        if (cut.kind == LocalEntry::Kind::kSize) continue;
        LocalLiteral literal{cut.input, cut.attribute, {}};
        const auto values = WholeValues(*space_.graph, node_, literal);
        auto placed = ShardingOfCuts(cut.view.size(), {{&cut.view, axes}});
        if (!values || static_cast<size_t>(cut.entry) >= values->size() || !placed) return false;
        literal.entries.resize(values->size());
        LocalEntry& entry = literal.entries[static_cast<size_t>(cut.entry)];
        entry = {Normalize(*placed, *space_.mesh), cut.kind, cut.by_start, cut.by_end};
        if (!Validate(entry, (*values)[static_cast<size_t>(cut.entry)], *space_.mesh).ok())
          return false;
        out.literals.push_back(std::move(literal));
      }
    return true;
  }

  bool PlaceIndices(Strategy& out) const {
    for (const auto& [factor, axes] : axes_of_)
      for (const CountedIndex& index : Of(factor).indices) {
        auto placed = ShardingOfCuts(index.view.size(), {{&index.view, axes}});
        if (!placed) return false;
        const LocalEntry entry{Normalize(*placed, *space_.mesh), LocalEntry::Kind::kShifted};
        if (!Validate(entry, 0, *space_.mesh).ok()) return false;
        out.indices.push_back(
            {index.input, index.column, index.from_end, index.view.size(), entry.view});
      }
    return true;
  }

  // Whether every rank makes all that it keeps once halos are dropped. If the groups do not add up
  // to the dim, the pieces of whole groups may differ from the balanced pieces of the dim. Elements
  // beside a piece are not valid.
  bool CanDropHalos(const Sharding& made) const {
    const Sharding kept = made.WithoutHalos();
    for (size_t d = 0; d < made.dims.size(); ++d) {
      DimSharding dim = made.dims[d];
      if (dim.halo.of == 0) continue;
      dim.halo.before = dim.halo.behind = 0;
      const int64_t pieces = space_.mesh->size(dim.parts[0].sub[0].axes);
      const Mesh line{{{"line", pieces}}};
      const auto on_line = [](DimSharding one) {
        one.parts[0].sub[0].axes = {0};
        return one;
      };
      for (int64_t i = 0; i < pieces; ++i) {
        const auto held = LocalIntervals(on_line(dim), dim.halo.of, line, {i});
        for (const Interval& own : LocalIntervals(on_line(kept.dims[d]), dim.halo.of, line, {i}))
          if (std::none_of(held.begin(), held.end(), [&](const Interval& run) {
                return run.begin <= own.begin && own.end <= run.end;
              }))
            return false;
      }
    }
    return true;
  }

  // Spare elements are dropped right after the node.
  static void DropSpares(Strategy& out) {
    std::vector<Sharding> made = out.outputs;
    for (Sharding& sharding : out.outputs) sharding = sharding.WithoutSpares();
    if (made != out.outputs) out.made = std::move(made);
  }

  bool PlaceLiterals(Strategy& out) const {
    std::map<std::pair<int, std::string>, std::map<int, std::vector<AxesOnCut>>> on_entry;
    for (const auto& [factor, axes] : axes_of_)
      for (const LiteralCut& cut : Of(factor).literals) {
        if (cut.kind != LocalEntry::Kind::kSize) continue;
        on_entry[{cut.input, cut.attribute}][cut.entry].push_back({&cut.view, axes});
      }
    for (const auto& [where, entries] : on_entry) {
      LocalLiteral literal{where.first, where.second, {}};
      const auto values = WholeValues(*space_.graph, node_, literal);
      if (!values) return false;
      literal.entries.resize(values->size());
      for (const auto& [entry, on] : entries) {
        const size_t at = static_cast<size_t>(entry);
        if (at >= values->size()) return false;
        auto placed = ShardingOfCuts((*values)[at], on);
        if (!placed) return false;
        literal.entries[at].view = Normalize(*placed, *space_.mesh);
      }
      out.literals.push_back(std::move(literal));
    }
    return PlaceMoves(out);
  }

  void AddPartials(const Choices& choices, Strategy& out) const {
    for (const auto& [factor, axes] : axes_of_) {
      for (int axis : axes) {
        for (const auto& [output, op] : Of(factor).reductions)
          if (static_cast<size_t>(output) < out.outputs.size())
            out.outputs[static_cast<size_t>(output)].partial.push_back({axis, op});
        for (int input : Of(factor).partial_inputs)
          out.inputs[static_cast<size_t>(input)].partial.push_back({axis, ReduceOp::kSum});
      }
    }
    for (size_t a = 0; a < choices.size(); ++a) {
      if (choices[a] < factors()) continue;
      const PassThrough& pass = rule_.pass_through[static_cast<size_t>(choices[a] - factors())];
      const Partial partial{static_cast<int>(a), pass.op};
      for (int input : pass.inputs)
        out.inputs[static_cast<size_t>(input)].partial.push_back(partial);
      for (Sharding& output : out.outputs) output.partial.push_back(partial);
    }
  }

  // Normalizes the shardings; false if a sharding is not valid.
  bool Tidy(const std::vector<ValueId>& values, std::vector<Sharding>& shardings) const {
    for (size_t i = 0; i < values.size(); ++i) {
      Sharding& sharding = shardings[i];
      if (values[i] == kNone) {
        sharding = {};
        continue;
      }
      if (!Validate(sharding, space_.graph->value(values[i]).type.shape, *space_.mesh).ok())
        return false;
      for (const Partial& partial : sharding.partial)
        if (partial.op != sharding.partial[0].op) return false;
      const ElementType type = space_.graph->value(values[i]).type.element;
      if (LeavesRange(sharding, type)) return false;
      sharding = WithHeldSums(std::move(sharding), type, space_.reduce_in);
      sharding = Normalize(sharding, *space_.mesh);
    }
    return true;
  }

  // Partial products of floats may overflow or vanish although the product does not, which is rare
  // for partial sums: they are only allowed if the policy permits narrow partial values.
  bool LeavesRange(const Sharding& sharding, ElementType type) const {
    return space_.reduce_in == ReduceIn::kF32 && ClassOf(type) == ElementClass::kFloat &&
           !sharding.partial.empty() && sharding.partial[0].op == ReduceOp::kProd;
  }

  const StrategySpace& space_;
  const Node& node_;
  const Rule& rule_;
  std::map<int, std::vector<int>> axes_of_;  // by factor in use
};

std::vector<int> MeshOrder(const Mesh& mesh) {
  std::vector<int> order(mesh.axes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Steps through all choices, first axis slowest; false after the last.
bool Next(Choices& choices, int options, const Mesh& mesh) {
  for (size_t a = choices.size(); a-- > 0;) {
    if (mesh.size(static_cast<int>(a)) > 1 && ++choices[a] < options) return true;
    choices[a] = kIdle;
  }
  return false;
}

// The number of ways in which each axis of a mesh takes one of the options, or none; at most 2^40.
int64_t Ways(int options, const Mesh& mesh) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t ways = 1;
  for (const auto& axis : mesh.axes)
    if (axis.size > 1) ways = std::min(kMost, ways * (options + 1));
  return ways;
}

// The number of options for which all combinations can be tried.
int Affordable(int options, const Node& node, const Mesh& mesh) {
  constexpr int64_t kMostShardings = int64_t{1} << 20;  // built in total
  constexpr int64_t kLeastWays = 1000;
  const int64_t operands = std::ssize(node.inputs) + std::ssize(node.outputs);
  const int64_t most = std::max(kLeastWays, kMostShardings / std::max<int64_t>(operands, 1));
  while (options > 1 && Ways(options, mesh) > most) --options;
  return options;
}

// Sizes known at run time only cannot be cut or priced.
bool HasRunTimeSizes(const Graph& graph, const Node& node) {
  for (const std::vector<ValueId>* values : {&node.inputs, &node.outputs})
    for (ValueId id : *values)
      if (id != kNone && !IsKnown(graph.value(id).type.shape)) return true;
  return false;
}

// The first `kept` always stay.
void Prune(std::vector<PricedStrategy>& all, int64_t limit, int kept) {
  if (static_cast<int64_t>(all.size()) <= limit) return;
  const auto idle = [](const PricedStrategy& p) {
    return std::count(p.strategy.axes.begin(), p.strategy.axes.end(), "");
  };
  std::vector<size_t> order(all.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order.begin() + kept, order.end(), {}, [&](size_t i) {
    return std::pair(idle(all[i]), all[i].compute.seconds);
  });
  order.resize(static_cast<size_t>(limit));
  std::sort(order.begin(), order.end());
  std::vector<PricedStrategy> left;
  for (size_t i : order) left.push_back(std::move(all[i]));
  all = std::move(left);
}

// nullopt if the call has no price of its own, or does not fit.
std::optional<Priced> PriceOfCall(const StrategySpace& space,
                                  const Node& node,
                                  const CallLayout& layout) {
  const OpDef* op = space.ops->Find(node);
  if (op == nullptr || !node.regions.empty() || HasRunTimeSizes(*space.graph, node))
    return std::nullopt;
  const LocalCall local(
      *op, *space.graph, node, layout, *space.mesh, WidestRank(layout, *space.mesh));
  if (!local.Fits()) return std::nullopt;
  ComputeWork work = local.work(space.fused);
  if (!space.cluster->profile->calls.empty()) work.call = local.text();
  return ComputeSeconds(*space.cluster, work);
}

}  // namespace

Sharding WithHeldSums(Sharding sharding, ElementType type, ReduceIn reduce_in) {
  const bool wide = reduce_in == ReduceIn::kF32 && IsNarrowFloat(type);
  for (Partial& partial : sharding.partial) partial.in_f32 = wide && partial.op == ReduceOp::kSum;
  return sharding;
}

bool FitsEverywhere(const StrategySpace& space,
                    const OpDef& op,
                    const Node& node,
                    const Strategy& strategy) {
  const Mesh& mesh = *space.mesh;
  const std::set<int64_t> ranks{0, WidestRank(strategy.layout(), mesh), mesh.ranks() - 1};
  return std::all_of(ranks.begin(), ranks.end(), [&](int64_t rank) {
    return LocalCall(op, *space.graph, node, strategy.layout(), mesh, rank).Fits();
  });
}

std::optional<Strategy> BuildStrategy(const StrategySpace& space,
                                      const Node& node,
                                      const Rule& rule,
                                      const std::vector<int>& choices) {
  return Builder(space, node, rule).Build(choices, MeshOrder(*space.mesh));
}

Priced CallPrice(const StrategySpace& space, const Node& node, const CallLayout& layout) {
  return PriceOfCall(space, node, layout).value_or(Priced());
}

Priced ComputePrice(const StrategySpace& space, const Node& node, const Strategy& strategy) {
  auto price = PriceOfCall(space, node, strategy.layout());
  if (!price) return {};
  *price += AroundPrice(space, node, strategy);
  return *price;
}

std::vector<PricedStrategy> StrategiesOf(const StrategySpace& space,
                                         const Node& node,
                                         const Rule& rule,
                                         int64_t* pruned,
                                         const std::vector<BlockCyclicFactor>& layouts,
                                         const std::vector<bool>& passes) {
  const bool fixed = !node.regions.empty() || HasRunTimeSizes(*space.graph, node);
  const OpDef* op = fixed ? nullptr : space.ops->Find(node);
  Rule every = rule;
  for (const BlockCyclicFactor& one : layouts) {
    auto in_blocks = CutBlockCyclic(rule.factors[static_cast<size_t>(one.factor)], one.layout);
    CHECK(in_blocks.has_value(), "a factor cannot take its groups in this order");
    every.factors.push_back(std::move(*in_blocks));
  }
  for (size_t p = passes.size(); p-- > 0;)
    if (!passes[p]) every.pass_through.erase(every.pass_through.begin() + static_cast<long>(p));
  const int own = static_cast<int>(rule.factors.size());
  const int factors = static_cast<int>(every.factors.size());
  Builder builder(space, node, every);
  Expander expander(space, node, every, layouts);
  std::vector<PricedStrategy> out;
  std::vector<PricedStrategy> others;  // with block-cyclic factors
  std::set<std::pair<std::vector<Sharding>, std::vector<Sharding>>> seen;
  Choices choices(space.mesh->axes.size(), kIdle);
  const int all = op == nullptr ? 0 : factors + static_cast<int>(every.pass_through.size());
  const int options = Affordable(all, node, *space.mesh);
  std::vector<int> order = MeshOrder(*space.mesh);
  const auto next = [&] {
    if (space.every_order && std::ranges::next_permutation(order).found) return true;
    return Next(choices, options, *space.mesh);
  };
  do {
    auto strategy = builder.Build(choices, order);
    if (!strategy || !seen.emplace(strategy->inputs, strategy->outputs).second) continue;
    const bool whole = out.empty();
    const bool in_blocks = std::any_of(choices.begin(), choices.end(), [&](int choice) {
      return choice >= own && choice < factors;
    });
    std::vector<PricedStrategy>& to = in_blocks ? others : out;
    if (expander.Wanted(choices)) {
      const auto price = expander.Expand(choices, *strategy);
      if (price) to.push_back({std::move(*strategy), *price});
      continue;
    }
    if (!whole && !FitsEverywhere(space, *op, node, *strategy)) continue;
    const Priced compute = ComputePrice(space, node, *strategy);
    to.push_back({std::move(*strategy), compute});
  } while (next());
  const int64_t untried = Ways(all, *space.mesh) - Ways(options, *space.mesh);
  const size_t found = out.size() + others.size();
  Prune(out, space.limit, 1);
  Prune(others, space.limit - std::ssize(out), 0);
  std::move(others.begin(), others.end(), std::back_inserter(out));
  if (pruned != nullptr) *pruned += static_cast<int64_t>(found - out.size()) + untried;
  return out;
}

}  // namespace metadist
