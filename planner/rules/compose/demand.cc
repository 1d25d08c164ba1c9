// SPDX-License-Identifier: Apache-2.0
// What else must be cut where one input is?
//
// A size of an operator stands in many dims (the hidden size of an LSTM in seven), and which of
// them are one factor is not told: trying all sets of them is exponential. But a cut of one dim
// carried through the decomposition meets whole values of which it takes a piece (a weight, a
// bias), and what is wanted of a whole value is wanted, through the nodes that made it, of the
// operator's inputs. So wants are carried backwards: a node that ran whole runs by the factor that
// makes the piece wanted of it. An input of which every use wants one and the same piece is cut;
// one that is wanted in two ways stays whole. In the same way a node that nothing cuts makes only
// the piece that is wanted of it.
//
// Cost: O(nodes * factors of a node), once for each input that is found.
#include "planner/rules/compose/demand.h"

#include <algorithm>
#include <string>

#include "planner/rules/factor/pieces.h"

namespace metadist {
namespace {

struct Want {
  bool any = false;
  bool whole = false;
  bool halo = false;  // by someone
  Cut cut = {};
};

class Backwards {
 public:
  Backwards(const Graph& graph, const std::vector<const Rule*>& rules, const Propagated& way)
      : graph_(graph), rules_(rules), way_(way), wants_(graph.values.size()) {}

  std::map<int, Cut> Run() {
    for (const ValueId output : graph_.outputs) Add(output, nullptr);
    for (size_t n = graph_.nodes.size(); n-- > 0;) Visit(n);
    std::map<int, Cut> cuts;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Want& want = wants_[static_cast<size_t>(graph_.inputs[i])];
      if (want.any && !want.whole) cuts[static_cast<int>(i)] = want.cut;
    }
    return cuts;
  }

  // By node: the factor by which one that ran whole makes only what is wanted; nullptr: it does
  // not.
  std::vector<const Factor*> RunWhole() {
    std::vector<const Factor*> factors(graph_.nodes.size(), nullptr);
    for (const ValueId output : graph_.outputs) Add(output, nullptr);
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      const Node& node = graph_.nodes[n];
      if (way_.use.nodes[n].empty() && !wants_[static_cast<size_t>(node.outputs[0])].halo)
        factors[n] = FactorOf(n, node);
      Visit(n);
    }
    return factors;
  }

 private:
  // cut: nullptr for all of it.
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
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNone)
        Add(node.inputs[i], factor == nullptr ? nullptr : CutOf(factor->inputs, i));
  }

  // By which the node runs, or would run to make what is wanted of it; nullptr: none.
  const Factor* FactorOf(size_t n, const Node& node) const {
    const std::string& name = way_.use.nodes[n];
    const Want& want = wants_[static_cast<size_t>(node.outputs[0])];
    if (name.empty() && (!want.any || want.whole || node.outputs.size() > 1)) return nullptr;
    for (const Factor& factor : rules_[n]->factors) {
      if (!name.empty()) {
        if (factor.name == name) return &factor;
        continue;
      }
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
};

}  // namespace

std::map<int, Cut> Demanded(const Graph& graph,
                            const std::vector<const Rule*>& rules,
                            const Propagated& way) {
  return Backwards(graph, rules, way).Run();
}

void MakePieces(const Graph& graph, const std::vector<const Rule*>& rules, Propagated& way) {
  const std::vector<const Factor*> factors = Backwards(graph, rules, way).RunWhole();
  for (size_t n = 0; n < factors.size(); ++n) {
    if (factors[n] == nullptr) continue;
    way.use.nodes[n] = factors[n]->name;
    way.values[static_cast<size_t>(graph.nodes[n].outputs[0])] = {
        Placed::Kind::kCut, *CutOf(factors[n]->outputs, 0), {}};
  }
}

}  // namespace metadist
