// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ops/graph_builder.h"
#include "metair/ops/op_def.h"

namespace metadist {

// Writes a decomposition: a graph over the inputs of a call.
class Composer : public GraphBuilder {
 public:
  // The graph's inputs are the present inputs of the call.
  explicit Composer(const OpCall& call);

  // An input of the call, converted to f32 if it is a narrower float. It must be present.
  ValueId Operand(size_t input);
  // An input of the call, unconverted. It must be present.
  ValueId Given(size_t input) const { return inputs_[input]; }
  // A new node of the call's own operator, with all outputs that the call requests.
  std::vector<ValueId> Again(const std::vector<ValueId>& inputs, const Attributes& attributes);

  // Makes `results`, converted to the output types of the call, the outputs.
  Result<Graph> Done(const std::vector<ValueId>& results);

 private:
  const OpCall& call_;
  std::vector<ValueId> inputs_;  // by input of the call; kNone = absent
  std::vector<ValueId> wide_;    // the same, in f32 if they are narrower; kNone = not made yet
};

}  // namespace metadist
