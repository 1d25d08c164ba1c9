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
  // As far as it is written.
  const Graph& graph() const { return graph_; }
  const TensorType& type(ValueId value) const { return graph_.value(value).type; }
  const Shape& shape(ValueId value) const { return type(value).shape; }

  // An input of the call as it is. It must be present.
  ValueId Given(size_t input) const { return inputs_[input]; }

  // Output 0 of a new node.
  ValueId Make(const std::string& op,
               const std::vector<ValueId>& inputs,
               const Attributes& attributes = {});
  // A new node of the call's own operator: all outputs that the call wants.
  std::vector<ValueId> Again(const std::vector<ValueId>& inputs, const Attributes& attributes);
  // A node like one of another graph, of this operator, on these inputs: all its outputs.
  std::vector<ValueId> Like(const OpDef& op, const Node& node, const std::vector<ValueId>& inputs);
  // The same as Make with attribute `axis`.
  ValueId Along(const std::string& op, const std::vector<ValueId>& inputs, int64_t axis);
  // The same as Make over some dims, which keep size 1 or go.
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
  ValueId Constant(Tensor data);
  // The value in this element type; itself if it has it. Defined where the operator is.
  ValueId As(ElementType element, ValueId value);

  // `result` in the type that the call's output must have is an output, in their order.
  Result<Graph> Done(const std::vector<ValueId>& results);

 private:
  // A node with as many outputs as it comes with; their ids, 0 after an error.
  std::vector<ValueId> Add(const OpDef& op, Node node);

  const OpCall& call_;
  Graph graph_;
  std::vector<ValueId> inputs_;  // by input of the call; kNone = absent
  std::vector<ValueId> wide_;    // the same, in f32 where they are shorter; kNone = not made
  std::optional<Error> error_;
};

}  // namespace metadist
