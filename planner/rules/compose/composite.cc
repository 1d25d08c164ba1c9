// SPDX-License-Identifier: Apache-2.0
// Composite rules: divide the decomposition, not the operator.
//
// Softmax cannot be cut along its axis: no reduction of the pieces' results gives the result. But
// its decomposition can: a maximum over the ranks, then a sum. The positions of these exchanges are
// not given: each node of the decomposition is a call like any other, with a rule found by running
// it, and a cut of the operator's inputs is propagated from node to node (propagation.h). The
// result is compared with the operator's own kernel (composite_check.h), so a wrong decomposition
// loses a rule and never makes a wrong one.
//
// Every atom that the operator's own factors leave uncut is tried: first all its dims together,
// then one of them with those that the decomposition requires to be cut with it (demand.h), the
// largest set first (equal sizes need not be the same size). An atom that is not a dim of an input
// (a stated length) is cut where the decomposition first creates a dim of its size: positions, of
// which each rank takes its own. Where a node slides a window along an input, the ranks' pieces of
// the input include its halo. Plain factors are propagated too, so that they can be used on another
// mesh axis beside a composite one.
//
// Cost: some microseconds per propagation, 16 divided runs of a graph of some 15 nodes per rule.
#include "planner/rules/compose/composite.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/rules/compose/composite_check.h"
#include "planner/rules/compose/demand.h"
#include "planner/rules/compose/late_merge.h"
#include "planner/rules/compose/propagation.h"
#include "planner/rules/factor/notation.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/instance/instance.h"

namespace metadist {
namespace {

constexpr size_t kMostDims = 6;  // of one atom
constexpr int64_t kAnyElements = std::numeric_limits<int64_t>::max();

class CompositeFinder {
 public:
  CompositeFinder(const TestedCall& call, SymbolicRule& found)
      : tested_(call), box_(call.box), found_(found), check_(call, found) {}

  void Run() {
    auto form = ExactFormOf(box_.CallAt(box_.values()), /*all_numbers=*/false);
    if (!form) return;
    graph_ = std::move(form->graph);
    const InnerCalls calls(tested_.ops, tested_.inner, graph_);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) rules_.push_back(calls.RuleOf(graph_, n));
    for (const Rule& rule : rules_) node_rules_.push_back(&rule);
    int position = 0;
    for (size_t i = 0; i < box_.num_inputs(); ++i)
      position_.push_back(box_.role(i) == BlackBox::Role::kAbsent ? kNone : position++);
    for (SymbolicFactor& factor : found_.factors) CarryPlain(factor);
    const size_t plain = found_.factors.size();
    for (size_t atom = 0; atom < found_.atoms.size(); ++atom) TryAtom(static_cast<int>(atom));
    for (size_t n = 0; n < graph_.nodes.size(); ++n) TryWindows(n);
    found_.executions += check_.executions();
    if (found_.factors.size() == plain) return;
    NameFactors(found_);
    NameExchanges();
    std::vector<Shape> outputs;
    if (box_.Infer(box_.values(), outputs)) found_.text = Notation(found_, outputs);
    found_.reason.clear();
  }

 private:
  struct Dim {
    int input = 0;
    int dim = 0;
  };

  std::optional<Propagated> Carry(const std::vector<SymbolicCut>& cuts,
                                  int64_t most,
                                  const std::map<ValueId, Cut>& made = {}) const {
    std::map<int, Cut> inputs;
    for (const SymbolicCut& cut : cuts)
      inputs[position_[static_cast<size_t>(cut.tensor)]] = At(cut);
    auto way = Propagate(graph_, node_rules_, inputs, most, made);
    if (way) MakePieces(graph_, node_rules_, *way);
    return way;
  }

  Cut At(const SymbolicCut& cut) const { return CutAt(cut, found_.atoms); }

  // A factor of the operator also divides the decomposition if it gives the same output placements
  // without any exchange.
  void CarryPlain(SymbolicFactor& factor) const {
    if (factor.inputs.empty() || !factor.partial_inputs.empty()) return;
    const auto way = Carry(factor.inputs, 0);
    if (!way) return;
    const Factor real = FactorAt(found_, factor, found_.atoms);
    for (size_t o = 0; o < graph_.outputs.size(); ++o) {
      Placed expected;
      for (const Cut& cut : real.outputs)
        if (cut.tensor == static_cast<int>(o)) expected = {Placed::Kind::kCut, cut, {}};
      const auto reduction = real.reductions.find(static_cast<int>(o));
      if (reduction != real.reductions.end())
        expected = {Placed::Kind::kPartial, {}, reduction->second};
      Placed made = way->values[static_cast<size_t>(graph_.outputs[o])];
      made.cut.tensor = expected.cut.tensor;
      if (made != expected) return;
    }
    factor.inner = way->use;
  }

  // Sets the letters of the factors that cut the dims of each exchanged value.
  void NameExchanges() {
    std::vector<std::optional<Propagated>> ways;
    for (const SymbolicFactor& factor : found_.factors)
      ways.push_back(factor.inner.nodes.empty() || factor.inputs.empty()
                         ? std::nullopt
                         : Carry(factor.inputs, kAnyElements));
    for (SymbolicFactor& factor : found_.factors)
      for (InnerExchange& exchange : factor.inner.exchanges) {
        const size_t value = static_cast<size_t>(graph_.node(exchange.node).outputs[0]);
        std::vector<std::pair<int, std::string>> letters;
        for (size_t f = 0; f < ways.size(); ++f)
          if (ways[f] && ways[f]->values[value].kind == Placed::Kind::kCut)
            letters.push_back({ways[f]->values[value].cut.dim, found_.factors[f].name});
        std::ranges::sort(letters);
        for (const auto& [dim, letter] : letters)
          exchange.dims += (exchange.dims.empty() ? "" : ",") + letter;
      }
  }

  bool IsCut(const Dim& at, int atom) const {
    for (const SymbolicFactor& factor : found_.factors)
      for (const SymbolicCut& cut : factor.inputs)
        if (cut.tensor == at.input && cut.dim == at.dim)
          for (const SymbolicCut::Part& part : cut.parts)
            if (part.atom == atom) return true;
    return false;
  }

  const SymbolicSize& SizeOf(const Dim& at) const {
    return found_.dims[static_cast<size_t>(at.input)].sizes[static_cast<size_t>(at.dim)];
  }

  // Dims of inputs that contain the atom and that no factor cuts along it; at most one of a tensor.
  std::vector<Dim> FreeDims(int atom) const {
    std::vector<Dim> dims;
    for (size_t i = 0; i < found_.dims.size(); ++i)
      for (size_t d = 0; found_.dims[i].is_tensor && d < found_.dims[i].sizes.size(); ++d) {
        const Dim at{static_cast<int>(i), static_cast<int>(d)};
        const std::vector<Product>& terms = SizeOf(at).terms;
        if (terms.size() != 1 || IsCut(at, atom)) continue;
        if (terms[0].Has(atom)) dims.push_back(at);
      }
    return dims;
  }

  // The ways to cut the dim along the atom: contiguously, or inside each block of the other atoms.
  std::vector<SymbolicCut> CutsOf(const Dim& at, int atom) const {
    Product rest = SizeOf(at).terms[0];
    rest.atoms.erase(std::ranges::find(rest.atoms, atom));
    SymbolicCut run{at.input, at.dim, {}, {{atom, rest}}};
    if (rest == Product{}) return {run};
    return {run, {at.input, at.dim, rest, {{atom, {}}}}};
  }

  // The cut and all cuts that the decomposition requires with it; empty if it cannot take the cut.
  std::vector<SymbolicCut> WithDemanded(SymbolicCut seed,
                                        int atom,
                                        const std::vector<Dim>& dims) const {
    std::vector<SymbolicCut> cuts{std::move(seed)};
    for (bool grown = true; grown;) {
      grown = false;
      const auto way = Carry(cuts, kAnyElements);
      if (!way) return {};
      const std::map<int, Cut> demanded = Demanded(graph_, node_rules_, *way);
      for (const Dim& at : dims) {
        const auto wanted = demanded.find(position_[static_cast<size_t>(at.input)]);
        if (wanted == demanded.end()) continue;
        for (SymbolicCut& cut : CutsOf(at, atom))
          if (CutOf(cuts, at.input) == nullptr && SameCut(At(cut), wanted->second)) {
            cuts.push_back(std::move(cut));
            grown = true;
          }
      }
    }
    std::ranges::sort(cuts, {}, &SymbolicCut::tensor);
    return cuts;
  }

  // Tries the windows of a node along the operator's own inputs.
  void TryWindows(size_t n) {
    const std::vector<ValueId>& given = graph_.nodes[n].inputs;
    for (const Factor& factor : node_rules_[n]->factors) {
      if (factor.inputs.size() != 1 || !(RunsWithin(factor) || RunsOnWindow(factor))) continue;
      const Cut& cut = factor.inputs[0];
      const bool one = cut.repeat == 1 && cut.parts.size() == 1;
      if (!one || (cut.halo.empty() && cut.parts[0].unit == 1)) continue;
      const ValueId value = given[static_cast<size_t>(cut.tensor)];
      for (size_t i = 0; i < box_.num_inputs(); ++i)
        if (position_[i] != kNone && graph_.inputs[static_cast<size_t>(position_[i])] == value)
          TryWindow(static_cast<int>(i), cut);
    }
  }

  void TryWindow(int input, const Cut& cut) {
    const Dim at{input, cut.dim};
    const std::vector<Product>& terms = SizeOf(at).terms;
    if (terms.size() != 1 || terms[0].atoms.size() != 1) return;
    const int atom = terms[0].atoms[0];
    // Other dims of this size (a kernel as long as its image) would not be cut: skip.
    if (IsCut(at, atom) || FreeDims(atom).size() > 1) return;
    const auto way = Propagate(
        graph_, node_rules_, {{position_[static_cast<size_t>(input)], cut}}, /*most_elements=*/0);
    if (!way) return;
    SymbolicFactor factor;
    factor.atoms = {atom};
    factor.inputs = {Sliding(input, cut, atom)};
    factor.inner = way->use;
    factor.composite = true;
    for (size_t o = 0; o < graph_.outputs.size(); ++o) {
      const Placed& made = way->values[static_cast<size_t>(graph_.outputs[o])];
      if (made.kind != Placed::Kind::kCut) return;
      factor.outputs.push_back(Sliding(static_cast<int>(o), made.cut, atom));
    }
    if (check_.Holds(factor)) found_.factors.push_back(std::move(factor));
  }

  static SymbolicCut Sliding(int tensor, const Cut& cut, int atom) {
    const int64_t unit = cut.parts[0].unit;
    SymbolicCut sliding{tensor, cut.dim, {}, {{atom, {unit, {}}}}};
    sliding.window = SymbolicWindow{unit, {cut.halo.before, {}}, {cut.halo.behind, {}}};
    return sliding;
  }

  bool InInputs(int atom) const {
    return std::ranges::any_of(found_.dims, [&](const SymbolicInput& input) {
      return std::ranges::any_of(input.sizes,
                                 [&](const SymbolicSize& size) { return size.Has(atom); });
    });
  }

  bool Divided(int atom) const {
    return std::ranges::any_of(found_.factors,
                               [&](const SymbolicFactor& factor) { return Divides(factor, atom); });
  }

  // A size given by literals alone: a value of that size that all ranks make whole is taken in
  // pieces, at the first node from which that leads to an output.
  void TryMade(int atom) {
    const int64_t size = found_.atoms[static_cast<size_t>(atom)];
    for (const Node& node : graph_.nodes) {
      const Shape& shape = graph_.value(node.outputs[0]).type.shape;
      const auto at = std::ranges::find(shape, size);
      if (size < 2 || at == shape.end()) continue;
      const Cut cut{0, static_cast<int>(at - shape.begin()), 1, {{size, 1}}};
      if (TryCuts(atom, {}, {{node.outputs[0], cut}})) return;
    }
  }

  void TryAtom(int atom) {
    if (!InInputs(atom) && !Divided(atom)) return TryMade(atom);
    const std::vector<Dim> dims = FreeDims(atom);
    if (TryTogether(atom, dims)) return;
    std::vector<std::vector<SymbolicCut>> sets;
    for (const Dim& dim : dims)
      for (SymbolicCut& seed : CutsOf(dim, atom)) {
        std::vector<SymbolicCut> cuts = WithDemanded(std::move(seed), atom, dims);
        if (!cuts.empty() && std::ranges::find(sets, cuts) == sets.end())
          sets.push_back(std::move(cuts));
      }
    std::ranges::stable_sort(sets,
                             [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (std::vector<SymbolicCut>& cuts : sets)
      if (TryCuts(atom, std::move(cuts)) && FreeDims(atom).empty()) return;
  }

  // Tries all of the dims together, each cut in any way. Returns whether none is left uncut.
  bool TryTogether(int atom, const std::vector<Dim>& dims) {
    if (dims.size() > kMostDims) return false;
    std::vector<std::vector<SymbolicCut>> choices;
    for (const Dim& dim : dims) choices.push_back(CutsOf(dim, atom));
    std::vector<size_t> pick(dims.size(), 0);
    for (size_t at = 0; at < pick.size();) {
      std::vector<SymbolicCut> cuts;
      for (size_t i = 0; i < pick.size(); ++i) cuts.push_back(choices[i][pick[i]]);
      if (TryCuts(atom, std::move(cuts)) && FreeDims(atom).empty()) return true;
      for (at = 0; at < pick.size() && ++pick[at] == choices[at].size(); ++at) pick[at] = 0;
    }
    return dims.empty();
  }

  bool Overlaps(const SymbolicCut& a, const SymbolicCut& b) const {
    if (a.tensor != b.tensor || a.dim != b.dim) return false;
    if (a.parts.size() > 1 || b.parts.size() > 1) return true;
    const Cut x = At(a), y = At(b);
    const auto end = [](const Cut& cut) { return cut.parts[0].unit * cut.parts[0].size; };
    return end(x) > y.parts[0].unit && end(y) > x.parts[0].unit;
  }

  bool Fits(const std::vector<SymbolicCut>& cuts) const {
    for (size_t i = 0; i < cuts.size(); ++i) {
      for (size_t j = 0; j < i; ++j)
        if (cuts[j].tensor == cuts[i].tensor) return false;
      for (const SymbolicFactor& factor : found_.factors)
        for (const SymbolicCut& other : factor.inputs)
          if (Overlaps(cuts[i], other)) return false;
    }
    return true;
  }

  bool TryCuts(int atom,
               std::vector<SymbolicCut> cuts,
               const std::map<ValueId, Cut>& made_whole = {}) {
    if (!Fits(cuts)) return false;
    auto way = Carry(cuts, kAnyElements, made_whole);
    if (!way) return false;
    const auto idle = [](const std::string& name) { return name.empty(); };
    if (std::ranges::all_of(way->use.nodes, idle)) return false;
    SymbolicFactor factor;
    factor.atoms = {atom};
    factor.inputs = std::move(cuts);
    factor.inner = way->use;
    factor.composite = true;
    for (size_t o = 0; o < graph_.outputs.size(); ++o) {
      const Placed& made = way->values[static_cast<size_t>(graph_.outputs[o])];
      if (made.kind == Placed::Kind::kPartial) factor.reductions[static_cast<int>(o)] = made.op;
      if (made.kind == Placed::Kind::kCut && !AddOutput(factor, static_cast<int>(o), made.cut))
        return false;
    }
    for (const SymbolicFactor& other : found_.factors)
      for (const SymbolicCut& a : factor.outputs)
        for (const SymbolicCut& b : other.outputs)
          if (Overlaps(a, b)) return false;
    if (factor.inputs.empty() && factor.outputs.empty()) return false;
    if (!check_.Holds(factor)) return false;
    if (!factor.inputs.empty()) {
      factor.any_order = InAnyOrder(factor.inner);
      AddOthers(factor);
    }
    found_.factors.push_back(std::move(factor));
    return true;
  }

  // Whether all nodes take their groups in any order.
  bool InAnyOrder(const InnerUse& use) const {
    for (size_t n = 0; n < use.nodes.size(); ++n)
      if (const Factor* step = rules_[n].Find(use.nodes[n]); step != nullptr && !step->any_order)
        return false;
    return true;
  }

  // Adds the variant with the same result in fewer exchanges: merged late.
  void AddOthers(SymbolicFactor& factor) {
    for (std::string& merge : LateMergesOf(factor.inner)) {
      SymbolicFactor tried = factor;
      tried.inner.recipe = std::move(merge);
      if (check_.Holds(tried) && tried.least_piece <= factor.least_piece)
        factor.others.push_back(std::move(tried.inner));
    }
  }

  // An output is cut like some input, whose symbols it then has; or its dim is the atom.
  bool AddOutput(SymbolicFactor& factor, int output, const Cut& cut) const {
    for (const SymbolicCut& input : factor.inputs) {
      const Cut real = At(input);
      if (real.repeat != cut.repeat || real.parts != cut.parts) continue;
      factor.outputs.push_back({output, cut.dim, input.repeat, input.parts});
      return true;
    }
    const int atom = factor.atoms.front();
    const Cut::Part all{found_.atoms[static_cast<size_t>(atom)], 1};
    if (cut.repeat != 1 || cut.parts != std::vector<Cut::Part>{all}) return false;
    factor.outputs.push_back({output, cut.dim, {}, {{atom, {}}}});
    return true;
  }

  const TestedCall tested_;
  BlackBox& box_;
  SymbolicRule& found_;
  Graph graph_;
  std::vector<Rule> rules_;  // by node
  std::vector<const Rule*> node_rules_;
  std::vector<int> position_;  // by input of the call: its position among the graph's inputs
  CompositeCheck check_;
};

}  // namespace

void FindComposites(const TestedCall& call, SymbolicRule& found) {
  if (call.box.op().decompose == nullptr || found.atoms.empty()) return;
  CompositeFinder(call, found).Run();
}

}  // namespace metadist
