// SPDX-License-Identifier: Apache-2.0
// Finds the inputs that should be cut together with one input.
//
// A size of an operator appears in many dims (the hidden size of an LSTM in seven), and it is not
// known which of them form one factor; trying all sets of them is exponential. But when a cut of
// one dim is propagated through the decomposition, nodes take pieces of uncut values (a weight, a
// bias), and a piece required of such a value is required, through the nodes that made it, of the
// operator's inputs. So requirements are propagated backwards: an undivided node works on the
// factor that makes the required piece. An input of which every use requires the same piece is cut;
// one with two different requirements is not. In the same way an undivided node makes only the
// required piece.
//
// Cost: O(nodes * factors of a node) for each input that is found.
#include "planner/rules/compose/demand.h"

#include <string>

#include "planner/rules/factor/pieces.h"

namespace metadist {
namespace {

struct Want {
  bool any = false;
  bool whole = false;
  bool halo = false;  // some use requires a halo
  Cut cut = {};
};

class Backwards {
 public:
  Backwards(const Graph& graph, const std::vector<const Rule*>& rules, const Propagated& way)
      : graph_(graph),
        rules_(rules),
        way_(way),
        wants_(graph.values.size()),
        factors_(graph.nodes.size(), nullptr) {
    for (const ValueId output : graph.outputs) Add(output, nullptr);
    for (size_t n = graph.nodes.size(); n-- > 0;) Visit(n);
  }

  // By position among the graph's inputs: the piece that every use takes.
  std::map<int, Cut> Cuts() const {
    std::map<int, Cut> cuts;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Want& want = wants_[static_cast<size_t>(graph_.inputs[i])];
      if (want.any && !want.whole) cuts[static_cast<int>(i)] = want.cut;
    }
    return cuts;
  }

  // By node: the factor on which an undivided node makes only the required piece; nullptr: there is
  // none.
  const std::vector<const Factor*>& factors() const { return factors_; }

 private:
  // Adds a requirement. cut: nullptr for the whole value.
  void Add(ValueId value, const Cut* cut) {
    Want& want = wants_[static_cast<size_t>(value)];
    if (way_.values[static_cast<size_t>(value)].kind != Placed::Kind::kWhole) cut = nullptr;
    if (cut == nullptr || (want.any && !SameCut(want.cut, *cut))) want.whole = true;
    if (cut != nullptr && !want.any) want.cut = *cut;
    if (cut != nullptr && !cut->halo.empty()) want.halo = true;
    want.any = true;
  }

  void Visit(size_t n) {
    const Node& node = graph_.nodes[n];
    const Factor* factor = FactorOf(n, node);
    if (way_.use.nodes[n].empty() && !wants_[static_cast<size_t>(node.outputs[0])].halo)
      factors_[n] = factor;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNone)
        Add(node.inputs[i], factor == nullptr ? nullptr : CutOf(factor->inputs, i));
  }

  // The factor on which the node works, or would work to make the required piece; nullptr: none.
  const Factor* FactorOf(size_t n, const Node& node) const {
    const std::string& name = way_.use.nodes[n];
    if (!name.empty()) return rules_[n]->Find(name);
    const Want& want = wants_[static_cast<size_t>(node.outputs[0])];
    if (!want.any || want.whole || node.outputs.size() > 1) return nullptr;
    for (const Factor& factor : rules_[n]->factors) {
      const Cut* made = CutOf(factor.outputs, 0);
      if (made != nullptr && SameCut(*made, want.cut) && factor.partial_inputs.empty() &&
          RunsWithin(factor))
        return &factor;
    }
    return nullptr;
  }

  const Graph& graph_;
  const std::vector<const Rule*>& rules_;
  const Propagated& way_;
  std::vector<Want> wants_;  // by value
  std::vector<const Factor*> factors_;
};

}  // namespace

std::map<int, Cut> Demanded(const Graph& graph,
                            const std::vector<const Rule*>& rules,
                            const Propagated& way) {
  return Backwards(graph, rules, way).Cuts();
}

void MakePieces(const Graph& graph, const std::vector<const Rule*>& rules, Propagated& way) {
  const std::vector<const Factor*> factors = Backwards(graph, rules, way).factors();
  for (size_t n = 0; n < factors.size(); ++n) {
    if (factors[n] == nullptr) continue;
    way.use.nodes[n] = factors[n]->name;
    way.values[static_cast<size_t>(graph.nodes[n].outputs[0])] = {
        Placed::Kind::kCut, *CutOf(factors[n]->outputs, 0), {}};
  }
}

}  // namespace metadist
