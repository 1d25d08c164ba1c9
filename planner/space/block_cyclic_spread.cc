// SPDX-License-Identifier: Apache-2.0
// Which layouts of several blocks are offered to a node.
//
// A factor gives each rank a run of its groups. Some rules need more: a dim that is split into
// queries, keys and values is laid out in three blocks, each of them cut; a dim that concatenates
// two arrays, in two unequal blocks; a dim that is reshaped into heads and their elements, in whole
// heads. The node before it (adding a bias, a product) could often make exactly that layout, since
// its factor may take its groups in any order, but there are far too many orders to list. The
// useful ones are those that some rule of the graph requires of that very dim. The search starts
// from them and passes each from a dim to any factor of any order that cuts the dim, from the
// factor to all dims that it cuts, and so on.
//
// Layouts of few blocks are visited first, and only a few are kept per dim and per factor. So the
// work is linear in the size of the graph and a node's strategies stay few. Any other layout costs
// a redistribution.
#include "planner/space/block_cyclic_spread.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace metadist {
namespace {

// A program is not fast if a rank holds more pieces of a dim than this.
constexpr int64_t kMostBlocks = 4;
constexpr size_t kMostOfDim = 2;
constexpr size_t kMostOfFactor = 2;

class Spread {
 public:
  Spread(const Graph& graph, const std::vector<const Rule*>& rules, int64_t ranks)
      : graph_(graph),
        rules_(rules),
        ranks_(ranks),
        uses_(UsesOf(graph)),
        of_node_(graph.nodes.size()) {}

  std::vector<std::vector<BlockCyclicFactor>> Run() {
    for (size_t n = 0; n < rules_.size(); ++n)
      if (rules_[n] != nullptr)
        for (const Factor& factor : rules_[n]->factors) Ask(graph_.nodes[n], factor);
    while (!asked_.empty()) {
      const Asked next = asked_.top();
      asked_.pop();
      Visit(next.place, next.layout);
    }
    for (std::vector<BlockCyclicFactor>& layouts : of_node_)
      std::sort(layouts.begin(), layouts.end());
    return std::move(of_node_);
  }

 private:
  using Place = std::pair<ValueId, int>;  // a value's dim

  struct Asked {
    Place place;
    BlockCyclic layout;
    int64_t number = 0;
    bool operator<(const Asked& other) const {  // visited later
      return std::pair(layout.blocks(), number) > std::pair(other.layout.blocks(), other.number);
    }
  };

  // Calls visit(dim of a value, cut) for every dim that the factor cuts.
  template <typename Visitor>
  void ForCuts(const Node& node, const Factor& factor, Visitor visit) const {
    for (const bool input : {true, false}) {
      const std::vector<ValueId>& values = input ? node.inputs : node.outputs;
      for (const Cut& cut : input ? factor.inputs : factor.outputs) {
        const size_t tensor = static_cast<size_t>(cut.tensor);
        if (tensor < values.size() && values[tensor] != kNone)
          visit(Place{values[tensor], cut.dim}, cut);
      }
    }
  }

  void Ask(const Node& node, const Factor& factor) {
    ForCuts(node, factor, [&](const Place& place, const Cut& cut) {
      if (cut.spare || !cut.halo.empty()) return;
      BlockCyclic layout = BlockCyclicOf(cut, ranks_);
      if (layout.in_a_row() || layout.blocks() > kMostBlocks) return;
      asked_.push({place, std::move(layout), number_++});
    });
  }

  void Visit(const Place& place, const BlockCyclic& layout) {
    std::vector<BlockCyclic>& known = known_[place];
    if (known.size() == kMostOfDim || std::find(known.begin(), known.end(), layout) != known.end())
      return;
    known.push_back(layout);
    const NodeId producer = graph_.value(place.first).producer;
    if (producer != kNone) Pass(producer, place, layout);
    NodeId last = kNone;
    for (const Use& use : uses_[static_cast<size_t>(place.first)]) {
      if (use.node != kNone && use.node != last) Pass(use.node, place, layout);
      last = use.node;
    }
  }

  // Offers the layout of a dim to the factors of the node that cut this dim.
  void Pass(NodeId node, const Place& place, const BlockCyclic& layout) {
    const size_t n = static_cast<size_t>(node);
    if (rules_[n] == nullptr) return;
    for (size_t f = 0; f < rules_[n]->factors.size(); ++f) {
      const Factor& factor = rules_[n]->factors[f];
      if (!factor.any_order) continue;
      std::vector<BlockCyclic> wanted;
      ForCuts(graph_.nodes[n], factor, [&](const Place& at, const Cut& cut) {
        if (at != place || cut.parts.size() != 1) return;
        if (auto groups = BlockCyclicOfGroups(layout, cut, ranks_))
          wanted.push_back(std::move(*groups));
      });
      for (const BlockCyclic& groups : wanted) Take(n, static_cast<int>(f), groups);
    }
  }

  void Take(size_t n, int factor, const BlockCyclic& layout) {
    const auto same = [&](const BlockCyclicFactor& other) { return other.factor == factor; };
    std::vector<BlockCyclicFactor>& layouts = of_node_[n];
    const BlockCyclicFactor next{factor, layout};
    if (layout.in_a_row() || std::find(layouts.begin(), layouts.end(), next) != layouts.end() ||
        std::count_if(layouts.begin(), layouts.end(), same) >= static_cast<int64_t>(kMostOfFactor))
      return;
    const auto in_blocks = CutBlockCyclic(rules_[n]->factors[static_cast<size_t>(factor)], layout);
    if (!in_blocks) return;
    layouts.push_back(next);
    Ask(graph_.nodes[n], *in_blocks);
  }

  const Graph& graph_;
  const std::vector<const Rule*>& rules_;
  const int64_t ranks_;
  const std::vector<std::vector<Use>> uses_;
  std::priority_queue<Asked> asked_;
  int64_t number_ = 0;
  std::map<Place, std::vector<BlockCyclic>> known_;
  std::vector<std::vector<BlockCyclicFactor>> of_node_;
};

}  // namespace

std::vector<std::vector<BlockCyclicFactor>> SpreadBlockCyclic(const Graph& graph,
                                                              const std::vector<const Rule*>& rules,
                                                              int64_t ranks) {
  return Spread(graph, rules, ranks).Run();
}

}  // namespace metadist
