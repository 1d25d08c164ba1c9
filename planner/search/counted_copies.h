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

// The copies that uses make of stored values, as additional nodes after the problem's own: only
// those that some program needed, since there may be many.
class CountedCopies {
 public:
  // All must outlive the object, which extends `formulation`.
  CountedCopies(const Graph& graph, const Mesh& mesh, Formulation& formulation);

  // Counts the uncounted copies that exist at times when the choice, with them, exceeds the limit.
  // False if there are none.
  bool Count(const Choice& choice, int64_t limit_bytes);
  void Forget();
  // The formulation without copies.
  Formulation Uncounted() const;
  // The choice of the problem's own nodes (later entries are ignored), with those of the copies.
  Choice Completed(const Choice& choice) const;

 private:
  void Drop(Formulation& formulation) const;

  const Graph& graph_;
  const Mesh& mesh_;
  Formulation& formulation_;
  const size_t own_nodes_;  // of the problem without copies
  const size_t own_edges_;
  std::vector<UseCopy> left_;  // not counted; computed on first use
  bool found_ = false;
  std::vector<CountedCopy> counted_;
};

}  // namespace metadist
