// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/graph_builder.h"
#include "metair/ops/op_def.h"

namespace metadist {

// Writes a decomposition: a graph over the inputs of a call.
class Composer : public GraphBuilder {
 public:
  // The graph's inputs are those of the call that are present.
  explicit Composer(const OpCall& call);

  // An input of the call, in f32 where it is a shorter float. It must be present.
  ValueId Operand(size_t input);
  // An input of the call as it is. It must be present.
  ValueId Given(size_t input) const { return inputs_[input]; }
  // A new node of the call's own operator: all outputs that the call wants.
  std::vector<ValueId> Again(const std::vector<ValueId>& inputs, const Attributes& attributes);

  // `result` in the type that the call's output must have is an output, in their order.
  Result<Graph> Done(const std::vector<ValueId>& results);

 private:
  const OpCall& call_;
  std::vector<ValueId> inputs_;  // by input of the call; kNone = absent
  std::vector<ValueId> wide_;    // the same, in f32 where they are shorter; kNone = not made
};

}  // namespace metadist
