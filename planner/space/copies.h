// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

// A node that takes a value whose sharding is a decision of its own: if the node requires another
// sharding, a copy exists beside the value while the node runs.
struct UseCopy {
  int node = 0;      // problem node (and graph node) of the user
  int decision = 0;  // problem node of the value
  // By strategy of the user: bytes of the copy, if there is one; and the candidate of the decision
  // that needs no copy, -1 if all need one.
  std::vector<int64_t> bytes;
  std::vector<int> fitting;

  int64_t BytesAt(const Choice& choice) const {
    const size_t s = static_cast<size_t>(choice[static_cast<size_t>(node)]);
    return fitting[s] == choice[static_cast<size_t>(decision)] ? 0 : bytes[s];
  }
};

// Every copy that a use can need and whose size the graph alone decides: for nodes that do not run
// as their decomposition, of values that they take in one sharding.
std::vector<UseCopy> CopiesOf(const Graph& graph, const Mesh& mesh, const Formulation& formulation);

// A copy as a node of the problem, with its strategies for every pair of the other two nodes'.
struct CountedCopy {
  UseCopy copy;
  int self = 0;  // problem node
  CostMatrix user_pairs, decision_pairs;
  std::vector<int> without;  // by strategy of the user: the copy's strategy if none is made, or -1
  std::vector<int> with;     // and if one is made
};

// Adds the copy to the problem: a node without cost whose memory is that of the copy, while the
// user runs. It is tied to one of `counted` that stands for the same copy in an equal layer. A copy
// depends on two decisions, so the node has a strategy for each way in which both agree, allowed
// only with these two, and one for each size, allowed with the user's strategies of that size.
CountedCopy CountCopy(const UseCopy& copy,
                      const std::vector<CountedCopy>& counted,
                      Formulation& formulation);

// Whether the problem ties the two copies, because they are the same copy in repeated layers.
bool AreTied(const UseCopy& a, const UseCopy& b, const Problem& problem);

// The choice of the first `own` problem nodes, extended by the strategies of the counted copies
// that follow from it.
Choice WithCopies(Choice choice, size_t own, const std::vector<CountedCopy>& counted);

}  // namespace metadist
