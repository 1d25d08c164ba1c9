// SPDX-License-Identifier: Apache-2.0
// One exchange in place of two.
//
// A sum of exponentials is relative to a maximum, a sum of squares to a mean: the reference is
// exchanged first, then the state relative to it, so ranks synchronize twice. They need not: each
// rank uses a reference of its own, both values are gathered at once, and a formula converts every
// rank's state to the common reference:
//
//   s exp(a - b)               a, b: own and common maximum
//   s + (a - b)^2 c / (C N)    a, b: own and common sum, as if all C groups were as the rank's c;
//                              N elements a sum
//
// Values that depend on the reference and are used afterwards are computed again from the common
// one. The maximum of an empty piece is raised to a finite number, since exp(-inf + inf) is NaN. It
// is not known which formula applies: each is tried on each pair of exchanges and compared with the
// kernel (composite_check.h). Costs n pairs of reference and state in place of two reduced values,
// and the repeated computation. Source: Chan, Golub, LeVeque 1983 for the second formula.
#include "planner/rules/compose/late_merge.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace metadist {
namespace {

// Far below any exchanged value, and far from overflow.
constexpr double kLowest = -1e30;

struct Merge {
  size_t first = 0;  // of the two exchanges
  bool exponential = false;
};

std::string NameOf(const Merge& merge) {
  return fmt::format("LATE {} {}", merge.first, merge.exponential ? "exp" : "square");
}

std::vector<Merge> MergesOf(const InnerUse& use) {
  std::vector<Merge> merges;
  for (size_t e = 0; e + 1 < use.exchanges.size(); ++e) {
    if (use.exchanges[e + 1].op != ReduceOp::kSum) continue;
    if (use.exchanges[e].op == ReduceOp::kMax) merges.push_back({e, true});
    if (use.exchanges[e].op == ReduceOp::kSum) merges.push_back({e, false});
  }
  return merges;
}

class Writer {
 public:
  Writer(const EagerWay& way, const Merge& merge, int64_t ranks)
      : way_(way),
        merge_(merge),
        pieces_(way.call, ranks),
        reference_node_(static_cast<size_t>(way.use.exchanges[merge.first].node)),
        state_node_(static_cast<size_t>(way.use.exchanges[merge.first + 1].node)),
        reference_(MadeBy(reference_node_)),
        state_(MadeBy(state_node_)) {
    size_t position = 0;
    for (size_t i = 0; i < way.call.inputs.size(); ++i)
      if (way.call.has(i)) ids_[way.graph.inputs[position++]] = pieces_.compose().Given(i);
  }

  Result<PieceGraph> Run() {
    const TensorType& type = way_.graph.value(reference_).type;
    if (type != way_.graph.value(state_).type || ClassOf(type.element) != ElementClass::kFloat ||
        !Depends(state_node_))
      return BadInput("", "the second exchange does not depend on the first");
    for (size_t n = 0; n < way_.graph.nodes.size(); ++n) {
      if (!Emit(n)) return BadInput("", "an exchanged value is passed through");
      if (n == reference_node_) ids_[reference_] = OwnReference(ids_[reference_]);
      if (n == state_node_) MergeStates();
    }
    std::vector<ValueId> results;
    for (const ValueId output : way_.graph.outputs) results.push_back(Get(output));
    return pieces_.Done(results);
  }

 private:
  ValueId MadeBy(size_t node) const { return way_.graph.nodes[node].outputs[0]; }

  // Whether the node's result depends on the reference.
  bool Depends(size_t node) const {
    std::set<ValueId> on{reference_};
    for (size_t n = reference_node_ + 1; n <= node; ++n)
      for (const ValueId input : way_.graph.nodes[n].inputs)
        if (on.count(input) > 0) on.insert(MadeBy(n));
    return on.count(MadeBy(node)) > 0;
  }

  ValueId Get(ValueId value) {
    const Value& from = way_.graph.value(value);
    if (stale_.erase(value) > 0) Emit(static_cast<size_t>(from.producer));
    const auto known = ids_.find(value);
    if (known != ids_.end()) return known->second;
    return ids_[value] = pieces_.compose().Constant(from.data);
  }

  // Adds a node of the decomposition. False: it passes a partial value through that must not be
  // reduced here.
  bool Emit(size_t n) {
    const Node& node = way_.graph.nodes[n];
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(input == kNone ? kNone : Get(input));
    const std::vector<ValueId> made = pieces_.compose().Like(*way_.ops.Find(node), node, inputs);
    for (size_t o = 0; o < made.size(); ++o) ids_[node.outputs[o]] = made[o];
    const bool own = n == reference_node_ || n == state_node_;
    Factor step;
    if (way_.factors[n] != nullptr) {
      step = *way_.factors[n];
      step.name = kPieceFactor;
      if (own) step.reductions.clear();
    } else {
      step.name = way_.use.nodes[n];
      if (own) return false;
    }
    pieces_.Step(std::move(step));
    for (const InnerExchange& exchange : way_.use.exchanges)
      if (exchange.node == static_cast<int>(n) && !own) pieces_.Exchanged(exchange.op);
    return true;
  }

  // A constant with one number per rank along the first of `dims` dims, the others of size 1.
  ValueId ByRank(size_t dims, const std::vector<double>& numbers) {
    Shape shape(dims, 1);
    shape[0] = pieces_.ranks();
    const ElementType element = way_.graph.value(reference_).type.element;
    return pieces_.compose().Constant(Tensor::Of<double>(shape, numbers).Cast(element));
  }

  // By rank: its fraction of all groups.
  std::vector<double> Shares() const {
    std::vector<double> shares;
    for (int64_t rank = 0; rank < pieces_.ranks(); ++rank) {
      const Interval own = Piece(way_.groups, pieces_.ranks(), rank);
      shares.push_back(static_cast<double>(own.end - own.begin) / static_cast<double>(way_.groups));
    }
    return shares;
  }

  // A rank's own reference, given its part of the reference.
  ValueId OwnReference(ValueId mine) {
    Composer& compose = pieces_.compose();
    if (merge_.exponential) return compose.Add("Max", {mine, compose.Number(kLowest, mine)});
    std::vector<double> scales = Shares();
    for (double& scale : scales) scale = 1 / scale;
    const ValueId scale = pieces_.Cut(ByRank(pieces_.shape(mine).size() + 1, scales), 0);
    const ValueId scaled = pieces_.Add("Mul", {mine, scale}, 0);
    const ValueId own = compose.Fold("ReduceSum", scaled, {0}, /*keep=*/false);
    pieces_.OnPieces();
    return own;
  }

  // The value with two new dims in front: the first is divided among the ranks, the second has size
  // 1.
  ValueId Stacked(ValueId value) {
    const std::vector<double> zeros(static_cast<size_t>(pieces_.ranks()), 0.0);
    const ValueId zero = pieces_.Cut(ByRank(pieces_.shape(value).size() + 2, zeros), 0);
    return pieces_.Add("Add", {value, zero}, 0);
  }

  void MergeStates() {
    // From here on, what was computed from a rank's own reference is stale.
    for (size_t n = reference_node_ + 1; n < state_node_; ++n)
      if (Depends(n)) stale_.insert(MadeBy(n));
    Composer& compose = pieces_.compose();
    const ValueId own = Stacked(ids_[reference_]);
    const ValueId mine = Stacked(ids_[state_]);
    const ValueId both = pieces_.Add("Concat", {own, mine}, 0, {{"axis", 1}});
    const ValueId references = SliceOf(compose, both, 1, 0, 1);
    const ValueId states = SliceOf(compose, both, 1, 1, 2);
    const size_t dims = pieces_.shape(both).size();
    ValueId common = kNone, moved = kNone;
    if (merge_.exponential) {
      common = compose.Fold("ReduceMax", references, {0, 1}, /*keep=*/false);
      const ValueId distance = compose.Add("Sub", {references, common});
      moved = compose.Add("Mul", {states, compose.Add("Exp", {distance})});
    } else {
      std::vector<double> shares = Shares();
      common = compose.Fold("ReduceSum",
                            compose.Add("Mul", {references, ByRank(dims, shares)}),
                            {0, 1},
                            /*keep=*/false);
      const ValueId distance = compose.Add("Sub", {references, common});
      for (double& share : shares) share /= ElementsOfSum();
      const ValueId squares = compose.Add("Mul", {distance, distance});
      moved = compose.Add("Add", {states, compose.Add("Mul", {squares, ByRank(dims, shares)})});
    }
    ids_[reference_] = common;
    ids_[state_] = compose.Fold("ReduceSum", moved, {0, 1}, /*keep=*/false);
  }

  // Number of elements summed in an element of the reference.
  double ElementsOfSum() const {
    const ValueId from = way_.graph.nodes[reference_node_].inputs[0];
    return static_cast<double>(NumElements(way_.graph.value(from).type.shape)) /
           static_cast<double>(NumElements(way_.graph.value(reference_).type.shape));
  }

  const EagerWay& way_;
  const Merge& merge_;
  PieceComposer pieces_;
  const size_t reference_node_;
  const size_t state_node_;
  const ValueId reference_;
  const ValueId state_;
  std::map<ValueId, ValueId> ids_;  // from values of the decomposition to current values
  std::set<ValueId> stale_;         // computed from a rank's own reference
};

}  // namespace

std::vector<std::string> LateMergesOf(const InnerUse& use) {
  std::vector<std::string> names;
  for (const Merge& merge : MergesOf(use)) names.push_back(NameOf(merge));
  return names;
}

Result<PieceGraph> BuildLate(const std::string& name, const EagerWay& way, int64_t ranks) {
  for (const Merge& merge : MergesOf(way.use))
    if (NameOf(merge) == name) return Writer(way, merge, ranks).Run();
  return BadInput("", fmt::format("there is no merge '{}'", name));
}

}  // namespace metadist
