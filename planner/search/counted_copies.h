// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/mesh.h"
#include "planner/space/copies.h"
#include "planner/space/formulate.h"

namespace metadist {

// The copies that uses make of stored values, as nodes behind a problem's own: only those that some
// program was seen to need, since there may be many.
class CountedCopies {
 public:
  // All must outlive the object, which extends `formulation`.
  CountedCopies(const Graph& graph, const Mesh& mesh, Formulation& formulation);

  // Counts the copies that live, not counted yet, where the choice with them needs more than the
  // limit. False if there are none.
  bool Count(const Choice& choice, int64_t limit_bytes);
  void Forget();
  // A choice of the problem's own nodes, entries behind them left out, with those of the copies.
  Choice Completed(const Choice& choice) const;

 private:
  const Graph& graph_;
  const Mesh& mesh_;
  Formulation& formulation_;
  const size_t own_nodes_;  // of the problem
  const size_t own_edges_;
  std::vector<UseCopy> left_;  // not counted; found when first needed
  bool found_ = false;
  std::vector<CountedCopy> counted_;
};

}  // namespace metadist
