// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

// A node that takes a value whose layout is a decision of its own: where it wants another, a
// copy lives beside the value while the node runs.
struct UseCopy {
  int node = 0;      // problem node (and graph node) of the user
  int decision = 0;  // problem node of the value
  // By strategy of the user: bytes of the copy, if there is one; the candidate of the decision that
  // needs none, -1 if all do.
  std::vector<int64_t> bytes;
  std::vector<int> fitting;

  int64_t BytesAt(const Choice& choice) const {
    const size_t s = static_cast<size_t>(choice[static_cast<size_t>(node)]);
    return fitting[s] == choice[static_cast<size_t>(decision)] ? 0 : bytes[s];
  }
};

// Every copy that a use can need and that its graph fixes: by nodes that run as they are, of values
// that they take in one way.
std::vector<UseCopy> CopiesOf(const Graph& graph, const Mesh& mesh, const Formulation& formulation);

// A copy as a node of the problem: which of its strategies belongs to which pair of the others'.
struct CountedCopy {
  UseCopy copy;
  int self = 0;  // problem node
  CostMatrix user_pairs, decision_pairs;
  std::vector<int> without;  // by strategy of the user: its strategy where there is no copy, or -1
  std::vector<int> with;     // and where there is one
};

// Adds the copy to the problem: a node of no cost whose memory is the copy's, while the user runs.
// It is tied where one of `counted` stands for the same copy in a layer alike. A copy depends on
// two decisions, so the node has a strategy for each way in which both agree, allowed with these
// two only, and one for each size, allowed with the user's strategies of that size.
CountedCopy CountCopy(const UseCopy& copy,
                      const std::vector<CountedCopy>& counted,
                      Formulation& formulation);

// Whether the problem ties both, so that they are one in repeated layers alike.
bool AreTied(const UseCopy& a, const UseCopy& b, const Problem& problem);

// A choice of the first `own` problem nodes, with the strategies of the counted copies that follow
// from it.
Choice WithCopies(Choice choice, size_t own, const std::vector<CountedCopy>& counted);

}  // namespace metadist
