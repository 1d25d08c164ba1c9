// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/rules/compose/piece_graph.h"
#include "planner/space/strategies.h"

namespace metadist {

// Among the choices of the axes: the axis does nothing.
constexpr int kIdle = -1;

// Runs one node as its decomposition, or by a recipe (recipe.h), on the mesh of a space.
class Expander {
 public:
  // All arguments must outlive the object. layouts: the last factors of the rule are those with
  // other orders of earlier ones, one for each.
  Expander(const StrategySpace& space,
           const Node& node,
           const Rule& rule,
           const std::vector<BlockCyclicFactor>& layouts)
      : space_(space), node_(node), rule_(rule), layouts_(layouts) {}

  // Whether some axis works on a factor that only the decomposition has.
  bool Wanted(const std::vector<int>& choices) const;

  // Sets strategy.expansion, given the choices (as BuildStrategy takes them) that made the
  // strategy, to the fastest there is. The price of all it does, exchanges included; none where
  // nothing can run so.
  std::optional<Priced> Expand(const std::vector<int>& choices, Strategy& strategy);

 private:
  // What runs in the node's place.
  struct Body {
    Graph graph;
    std::vector<Rule> rules;       // by node
    std::map<int, InnerUse> uses;  // by factor of the node's rule
    // By factor, where its groups have another layout than `uses` names: which of its rule's
    // factors each node works on, or where the use says it (-1).
    std::map<int, std::vector<int>> in_blocks;
  };

  const OpDef* Op() const { return space_.ops->Find(node_); }
  // What can run in the node's place; nullptr for what cannot.
  std::vector<const Body*> BodiesFor(const std::vector<int>& choices);
  const Body* Decomposed();
  // By way `way` of the factor (0: inner, then the others), which so many ranks work on.
  const Body* ByWay(int factor, int way, int64_t ranks);
  Result<PieceGraph> Written(const Factor& factor, const InnerUse& use, int64_t ranks) const;
  // The price; none where the body cannot run so.
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
  // By factor, way and ranks; nullptr where there is no such body. {-1, 0, 0}: the decomposition.
  std::map<std::tuple<int, int, int64_t>, std::unique_ptr<Body>> bodies_;
};

// A graph whose expanded nodes are replaced by their decompositions, and what is assigned to it.
struct Expanded {
  Graph graph;
  Assignment assignment;
};

// Nodes within `n` are called `n/...`; values keep their names and may change their ids.
Expanded ExpandNodes(const Graph& graph, const Assignment& assignment);

}  // namespace metadist
