// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "planner/space/strategies.h"

namespace metadist {

// Runs one node as its decomposition, on the mesh of a space.
class Expander {
 public:
  // All arguments must outlive the object.
  Expander(const StrategySpace& space, const Node& node, const Rule& rule)
      : space_(space), node_(node), rule_(rule) {}

  // Whether some axis works on a factor that only the decomposition has.
  bool Wanted(const std::vector<int>& choices) const;

  // Sets strategy.expansion, given the choices (as BuildStrategy takes them) that made the
  // strategy. The price of all it does, exchanges included; none where the decomposition cannot run
  // so.
  std::optional<Priced> Expand(const std::vector<int>& choices, Strategy& strategy);

 private:
  bool Prepare();
  std::optional<std::vector<int>> ChoicesOf(size_t inner, const std::vector<int>& choices) const;
  void Keep(size_t inner, const std::vector<int>& choices, Assignment& assignment) const;

  const StrategySpace& space_;
  const Node& node_;
  const Rule& rule_;
  bool prepared_ = false;
  Graph graph_;  // empty where there is no decomposition
  std::vector<const Rule*> rules_;
};

// A graph whose expanded nodes are replaced by their decompositions, and what is assigned to it.
struct Expanded {
  Graph graph;
  Assignment assignment;
};

// Nodes within `n` are called `n/...`; values keep their names and may change their ids.
Expanded ExpandNodes(const Graph& graph, const Assignment& assignment);

}  // namespace metadist
