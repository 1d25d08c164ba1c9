// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// Writes a decomposition: a graph over the inputs of a call, node by node, with the types that
// inference gives. After the first error nothing is added; Done reports it.
class Composer {
 public:
  // The graph's inputs are those of the call that are present.
  explicit Composer(const OpCall& call);

  // An input of the call, in f32 where it is a shorter float. It must be present.
  ValueId Input(size_t input);
  const TensorType& type(ValueId value) const { return graph_.value(value).type; }
  const Shape& shape(ValueId value) const { return type(value).shape; }

  // Output 0 of a new node.
  ValueId Make(const std::string& op,
               const std::vector<ValueId>& inputs,
               const Attributes& attributes = {});
  // The same over some dims, which keep size 1 or go.
  ValueId Fold(const std::string& op,
               ValueId value,
               const std::vector<int64_t>& axes,
               bool keep = true);
  // `op` (of two inputs) with constant integers as its second: axes, a shape.
  ValueId With(const std::string& op, ValueId value, const std::vector<int64_t>& integers);
  // A number of the element type of `like`.
  ValueId Number(double value, ValueId like);
  ValueId Integer(int64_t value);
  ValueId Integers(const std::vector<int64_t>& values);
  // The value in this element type; itself if it has it. Defined where the operator is.
  ValueId As(ElementType element, ValueId value);

  // `result` in the type that the call's output must have is an output, in their order.
  Result<Graph> Done(const std::vector<ValueId>& results);

 private:
  ValueId Constant(Tensor data);

  const OpCall& call_;
  Graph graph_;
  std::vector<ValueId> inputs_;  // by input of the call; kNone = absent
  std::vector<ValueId> wide_;    // the same, in f32 where they are shorter; kNone = not made
  std::optional<Error> error_;
};

}  // namespace metadist
