// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// Collects values that are to be read in place of others and applies them all at once; names of
// graph outputs are kept. Replacements may be chained.
class ValueReplacement {
 public:
  explicit ValueReplacement(const Graph& graph);

  // The value read in place of `id`; `id` itself if there is none.
  ValueId of(ValueId id) const;
  // All uses of `old` become uses of `now`, a result or stored value of the same type made earlier.
  // False, and nothing happens, where an output would lose its name: `old` is a graph output, and
  // `now` is no result of a node or a graph output, too.
  bool Add(const Graph& graph, ValueId old, ValueId now);
  // Uses of replaced values rewritten. Their nodes stay, dead.
  Graph Apply(Graph graph) const;

 private:
  std::vector<ValueId> now_;     // by old value; itself = not replaced
  std::vector<bool> is_output_;  // of the graph, or takes the place of one
  std::vector<bool> is_state_;
};

}  // namespace metadist
