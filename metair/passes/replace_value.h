// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// Collects replacements of values and applies them all at once; names of graph outputs are kept.
// Replacements may be chained.
class ValueReplacement {
 public:
  explicit ValueReplacement(const Graph& graph);

  // The replacement of `id`; `id` itself if there is none.
  ValueId of(ValueId id) const;
  // Makes all uses of `old` uses of `now`, a result or stored value of the same type made earlier.
  // Returns false and does nothing if an output would lose its name: `old` is a graph output, and
  // `now` is not the result of a node, is a graph output too, or belongs to a state. Likewise if
  // `old` belongs to a state.
  bool Add(const Graph& graph, ValueId old, ValueId now);
  // Rewrites the uses of replaced values. Their nodes remain, dead.
  Graph Apply(Graph graph) const;

 private:
  std::vector<ValueId> now_;     // by old value; itself if not replaced
  std::vector<bool> is_output_;  // a graph output, or the replacement of one
  std::vector<bool> is_state_;
};

}  // namespace metadist
