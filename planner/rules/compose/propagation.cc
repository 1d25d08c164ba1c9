// SPDX-License-Identifier: Apache-2.0
// Propagating a cut through a decomposition.
//
// Every node is a call like any other, so its rule gives its results on pieces: a factor whose
// input cuts are exactly those of its inputs, or a pass-through for partial values. A partial
// result can either be reduced at once among the ranks (an exchange), or stay partial. All choices
// are searched depth first, reducing first, pruned at the best so far. Graphs have some twenty
// nodes and a handful of partial values.
//
// If all steps are correct, so is the whole; it is compared with the operator's kernel nevertheless
// (composite_check.h), since the decomposition may be wrong.
#include "planner/rules/compose/propagation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "metair/ir/check.h"
#include "planner/rules/factor/pieces.h"

namespace metadist {
namespace {

using Kind = Placed::Kind;

class Search {
 public:
  Search(const Graph& graph,
         const std::vector<const Rule*>& rules,
         int64_t most_elements,
         const std::map<ValueId, Cut>& taken)
      : graph_(graph), rules_(rules), most_(most_elements), taken_(taken) {}

  std::optional<Propagated> Run(Propagated start) {
    Visit(0, std::move(start));
    return std::move(best_);
  }

 private:
  const Placed& At(const Propagated& way, ValueId value) const {
    return way.values[static_cast<size_t>(value)];
  }

  static std::pair<int64_t, size_t> CostOf(const Propagated& way) {
    return {way.elements, way.use.exchanges.size()};
  }

  bool Worse(const Propagated& way) const {
    if (way.elements > most_) return true;
    return best_ && CostOf(way) >= CostOf(*best_);
  }

  void Visit(size_t n, Propagated way) {
    if (Worse(way)) return;
    if (n == graph_.nodes.size()) {
      best_ = std::move(way);
      return;
    }
    const Node& node = graph_.nodes[n];
    std::vector<Placed> made(node.outputs.size());
    std::string name;
    if (!Step(node, *rules_[n], way, name, made)) return;
    way.use.nodes.push_back(std::move(name));
    for (size_t o = 1; o < made.size(); ++o)
      if (node.outputs[o] != kNone)
        way.values[static_cast<size_t>(node.outputs[o])] = std::move(made[o]);
    const auto taken = taken_.find(node.outputs[0]);
    if (taken != taken_.end() && made[0].kind == Kind::kWhole)
      made[0] = {Kind::kCut, taken->second, {}};
    const size_t output = static_cast<size_t>(node.outputs[0]);
    if (made[0].kind == Kind::kPartial) {
      Propagated reduced = way;
      reduced.values[output] = {};
      reduced.elements += NumElements(graph_.values[output].type.shape);
      reduced.use.exchanges.push_back({static_cast<int>(n), made[0].op});
      Visit(n + 1, std::move(reduced));
    }
    way.values[output] = std::move(made[0]);
    Visit(n + 1, std::move(way));
  }

  // The placement of the node's outputs given its inputs, and the factor it works on. False: it
  // cannot take its inputs.
  bool Step(const Node& node,
            const Rule& rule,
            const Propagated& way,
            std::string& name,
            std::vector<Placed>& made) const {
    bool cut = false;
    std::vector<int> partial;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNone) continue;
      cut = cut || At(way, node.inputs[i]).kind == Kind::kCut;
      if (At(way, node.inputs[i]).kind == Kind::kPartial) partial.push_back(static_cast<int>(i));
    }
    if (!cut && partial.empty()) return true;
    for (const Factor& factor : rule.factors) {
      if (!(RunsWithin(factor) || RunsOnWindow(factor)) || !Takes(node, factor, way)) continue;
      name = factor.name;
      for (size_t o = 0; o < made.size(); ++o) {
        const auto op = factor.reductions.find(static_cast<int>(o));
        if (const Cut* piece = CutOf(factor.outputs, o))
          made[o] = {Kind::kCut, *piece, {}};
        else if (op != factor.reductions.end())
          made[o] = {Kind::kPartial, {}, op->second};
      }
      return true;
    }
    if (cut) return false;
    for (const PassThrough& pass : rule.pass_through) {
      if (pass.inputs != partial) continue;
      if (!std::ranges::all_of(partial, [&](int i) {
            return At(way, node.inputs[static_cast<size_t>(i)]).op == pass.op;
          }))
        continue;
      name = "~" + std::string(Name(pass.op));
      made.assign(made.size(), {Kind::kPartial, {}, pass.op});
      return true;
    }
    return false;
  }

  bool Takes(const Node& node, const Factor& factor, const Propagated& way) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNone) continue;
      const Placed& placed = At(way, node.inputs[i]);
      const Cut* wanted = CutOf(factor.inputs, i);
      const bool summand = std::ranges::find(factor.partial_inputs, static_cast<int>(i)) !=
                           factor.partial_inputs.end();
      switch (placed.kind) {
        case Kind::kWhole:
          if (summand) return false;
          break;
        case Kind::kCut:
          if (wanted == nullptr || !SameCut(*wanted, placed.cut) || wanted->halo != placed.cut.halo)
            return false;
          break;
        case Kind::kPartial:
          if (!summand || placed.op != ReduceOp::kSum) return false;
          break;
      }
    }
    return true;
  }

  const Graph& graph_;
  const std::vector<const Rule*>& rules_;
  const int64_t most_;
  const std::map<ValueId, Cut>& taken_;  // pieces of what is made whole
  std::optional<Propagated> best_;
};

}  // namespace

bool SameCut(const Cut& a, const Cut& b) {
  return a.dim == b.dim && a.repeat == b.repeat && a.parts == b.parts;
}

bool RunsWithin(const Factor& factor) {
  const auto special = [](const Cut& cut) { return cut.spare || !cut.halo.empty(); };
  return !factor.composite && factor.indices.empty() &&
         std::ranges::none_of(factor.inputs, special) &&
         std::ranges::none_of(factor.outputs, special) &&
         std::ranges::all_of(factor.literals, [](const LiteralCut& one) {
           return one.kind == LocalEntry::Kind::kSize;
         });
}

bool RunsOnWindow(const Factor& factor) {
  return !factor.composite && factor.indices.empty() && factor.inputs.size() == 1 &&
         !factor.inputs[0].halo.empty() &&
         factor.inputs[0].halo.course == Halo::Course::kStraight &&
         std::ranges::all_of(factor.outputs,
                             [](const Cut& cut) { return cut.halo.empty() && !cut.spare; });
}

std::optional<Propagated> Propagate(const Graph& graph,
                                    const std::vector<const Rule*>& rules,
                                    const std::map<int, Cut>& inputs,
                                    int64_t most_elements,
                                    const std::map<ValueId, Cut>& made) {
  CHECK(rules.size() == graph.nodes.size(), "one rule a node");
  Propagated start;
  start.values.resize(graph.values.size());
  for (const auto& [position, cut] : inputs)
    start.values[static_cast<size_t>(graph.inputs[static_cast<size_t>(position)])] = {
        Kind::kCut, cut, {}};
  return Search(graph, rules, most_elements, made).Run(std::move(start));
}

}  // namespace metadist
