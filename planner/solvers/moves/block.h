// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/moves/move_result.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Nodes of a random ball of the graph, at most `most`; all nodes if there are no more.
std::vector<int> RandomRegion(const std::vector<std::vector<Link>>& links,
                              size_t most,
                              Random& random);

// A penalty that takes a strategy out of a block move; the current one must not have it.
inline constexpr double kLeftOut = 1e300;

// Block moves on one reduced problem.
class BlockMover {
 public:
  // Both must outlive the object. tables: edge entries in doubles only.
  BlockMover(const Reduced& reduced, const Dual& tables);

  // Minimises costs plus penalties over the nodes of `region`, all others as in `choice`: exactly,
  // but for nodes of high degree that keep their strategy where a table would exceed `cap` entries.
  MoveResult Run(const Jagged<double>& penalties,
                 const std::vector<int>& region,
                 double cap,
                 Random& random,
                 Choice& choice);

 private:
  // Fills task_, sizes_, edges_ and current_; returns the cost of the current strategies.
  double MakeTask(const Jagged<double>& penalties,
                  const std::vector<int>& region,
                  const Choice& choice);

  void FindAllowed(const Jagged<double>& penalties,
                   const std::vector<int>& region,
                   const Choice& choice);
  // Adds the edge between two nodes of the region; returns its entry at the current strategies.
  double AddEdge(const std::vector<int>& region, int k, const Link& link);

  const Reduced& reduced_;
  const Dual& tables_;
  std::vector<int> local_;
  // Per node of the region, its strategies that take part.
  std::vector<std::vector<int>> allowed_;
  // Tables of edges whose ends do not have all of theirs.
  std::vector<std::vector<double>> compact_;
  EliminationTask<double> task_;
  std::vector<int> sizes_;
  std::vector<std::pair<int, int>> edges_;
  Choice current_;
};

}  // namespace metadist
