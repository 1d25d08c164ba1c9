// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/probe/black_box.h"
#include "planner/space/strategies.h"

namespace metadist {

// The choice of an axis that works on no factor.
constexpr int kIdle = -1;

// Runs one node as its decomposition, or by a recipe (recipe.h), on the mesh of a space.
class Expander {
 public:
  // All arguments must outlive the object. layouts: the last factors of the rule, one for each of
  // these, are earlier factors with their groups in another order.
  Expander(const StrategySpace& space,
           const Node& node,
           const Rule& rule,
           const std::vector<BlockCyclicFactor>& layouts)
      : space_(space), node_(node), rule_(rule), layouts_(layouts) {}

  // Whether some axis works on a factor that only the decomposition or a recipe has.
  bool Wanted(const std::vector<int>& choices) const;

  // Sets strategy.expansion to the fastest expansion, given the choices (as for BuildStrategy) that
  // made the strategy. Returns the price of everything it does, exchanges included; nullopt if
  // there is no such expansion.
  std::optional<Priced> Expand(const std::vector<int>& choices, Strategy& strategy);

 private:
  // A graph that replaces the node.
  struct Body {
    Graph graph;
    std::vector<Rule> rules;       // by node
    std::map<int, InnerUse> uses;  // by factor of the node's rule
    // By factor whose groups have another layout than in `uses`: the index of the factor on which
    // each node works, or -1 where `uses` decides.
    std::map<int, std::vector<int>> in_blocks;
  };

  const OpDef* Op() const { return space_.ops->Find(node_); }
  // The node's call as discovery sees it: a constant is an input unless inference needs its
  // elements. No graph holds the data of a node: nodes of one signature share their graphs.
  const OpCall& Call();
  // The graphs that can replace the node; nullptr for one that cannot be built.
  std::vector<const Body*> BodiesFor(const std::vector<int>& choices);
  const Body* Decomposed();
  // For way `way` of the factor (0: inner, then the others), divided among `ranks` ranks.
  const Body* ByWay(int factor, int way, int64_t ranks);
  Result<PieceGraph> Written(const Factor& factor, const InnerUse& use, int64_t ranks);
  // The price; nullopt if the body cannot run with these choices.
  std::optional<Priced> Run(const Body& body,
                            const std::vector<int>& choices,
                            Strategy& strategy) const;
  void AddUses(int recipe, Body& body) const;
  void AddBlockCyclic(Body& body) const;
  static std::optional<std::vector<int>> ChoicesOf(const Body& body,
                                                   size_t inner,
                                                   const std::vector<int>& choices);
  static void Keep(const Body& body,
                   size_t inner,
                   const std::vector<int>& choices,
                   Assignment& assignment);

  const StrategySpace& space_;
  const Node& node_;
  const Rule& rule_;
  const std::vector<BlockCyclicFactor>& layouts_;
  std::optional<BlackBox> seen_;  // created when first needed
  // By factor, way and ranks; nullptr if there is no such body. {-1, 0, 0}: the decomposition.
  std::map<std::tuple<int, int, int64_t>, std::unique_ptr<Body>> bodies_;
};

// The graph with expanded nodes replaced by their decompositions. The nodes that replace `n` are
// named `n/...`; values keep their names, but their ids may change.
Expansion ExpandNodes(const Graph& graph, const Assignment& assignment);

}  // namespace metadist
