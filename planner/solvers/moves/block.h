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

// The nodes of a random ball of the graph, at most `most`; all nodes if there are no more than
// that.
std::vector<int> RandomRegion(const Jagged<Link>& links, size_t most, Random& random);

// A penalty that excludes a strategy from a block move; the current strategy must not have it.
inline constexpr double kLeftOut = 1e300;

// Block moves on one reduced problem.
class BlockMover {
 public:
  // Both must outlive the object. tables: used only for its edge entries in doubles.
  BlockMover(const Reduced& reduced, const Dual& tables);

  // Minimises costs plus penalties over the nodes of `region`, with all others as in `choice`.
  // Exact, except that nodes of high degree keep their strategies where a table would exceed `cap`
  // entries.
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
  // Per node of the region: the strategies that are not excluded.
  std::vector<std::vector<int>> allowed_;
  // Tables of edges with excluded strategies at an end.
  std::vector<std::vector<double>> compact_;
  EliminationTask<double> task_;
  std::vector<int> sizes_;
  std::vector<std::pair<int, int>> edges_;
  Choice current_;
};

}  // namespace metadist
