// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/problem/evaluate.h"

namespace metadist {

// The cost of a feasible choice as a constant plus one term per node and one per edge, each at
// least zero, in exact integer arithmetic. This is what the messages and prices of a Dual prove,
// whatever their rounding errors. O(edge entries).
class Decomposition {
 public:
  // Both must outlive the object. The Dual's last pass should be a Sweep.
  Decomposition(const Reduced& reduced, const Dual& dual);

  // A lower bound of the cost of every feasible choice. kInfinite if every pair of some edge is
  // forbidden.
  int64_t bound() const { return bound_; }
  // Marks ([a][b]) the allowed pairs of an edge that no feasible choice with cost at most `most`
  // takes. Returns their number.
  int64_t PairsAbove(int edge, int64_t most, std::vector<char>& marks) const;

 private:
  void AddNode(int node, const std::vector<WideCost>& prefix);
  void AddEdge(int edge);
  // The edge's entry is its cost plus a[p] plus b[q].
  void Ends(int edge, std::vector<WideCost>& a, std::vector<WideCost>& b) const;

  const Reduced& reduced_;
  const Dual& dual_;
  WideCost total_ = 0;
  bool infeasible_ = false;
  int64_t bound_ = 0;
  // Per node and strategy: the node's own term, and the amount moved into each of its edges to
  // earlier nodes.
  std::vector<std::vector<WideCost>> own_;
  std::vector<std::vector<WideCost>> moved_;
  // The least entry of each edge, which is part of total_.
  std::vector<WideCost> least_;
};

}  // namespace metadist
