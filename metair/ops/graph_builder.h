// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/unique_names.h"
#include "metair/ops/op_table.h"

namespace metadist {

// Writes a graph, node by node, with inferred types:
//
//   GraphBuilder b("scaled");
//   const ValueId x = b.Input("x", {ElementType::kF32, {8, 4}});
//   const ValueId y = b.Add("Softmax", {x}, {{"axis", 1}});
//   b.Output(b.Add("Mul", {y, b.Number(2, y)}));
//   const Graph graph = TRY(b.Done());
//
// A name that is already used gets a number. Generated names are looked up only if the graph has
// given names too: among themselves they differ. After the first error nothing is added, ids are 0,
// and Done reports the error with its node.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name, const OpTable& ops = OpTable::BuiltIn());
  // Continues a graph.
  explicit GraphBuilder(Graph graph, const OpTable& ops = OpTable::BuiltIn());
  // Rewrites a graph: starts with all its values, and with no node until one is kept or added.
  // `graph` must outlive the builder.
  static GraphBuilder Rewrite(const Graph& graph, const OpTable& ops);

  // The graph written so far.
  const Graph& graph() const { return graph_; }
  const TensorType& type(ValueId value) const { return graph_.value(value).type; }
  const Shape& shape(ValueId value) const { return type(value).shape; }
  bool failed() const { return error_.has_value(); }

  ValueId Input(const std::string& name, TensorType type);
  // data: absent if no checkpoint is at hand.
  ValueId Parameter(const std::string& name, Tensor data);
  // name: "" = generated.
  ValueId Constant(Tensor data, const std::string& name = {});
  // A number of the element type of `like`.
  ValueId Number(double value, ValueId like);
  ValueId Integer(int64_t value);
  ValueId Integers(const std::vector<int64_t>& values);

  // Output 0 of a new node. op: a name of the ONNX domain, or `domain.Name`.
  ValueId Add(const std::string& op,
              const std::vector<ValueId>& inputs,
              const Attributes& attributes = {});
  // The first `outputs` outputs of a new node.
  std::vector<ValueId> AddAll(const std::string& op,
                              const std::vector<ValueId>& inputs,
                              const Attributes& attributes,
                              size_t outputs);
  // Like Add, for an operator over some dims, which keep size 1 or are removed.
  ValueId Fold(const std::string& op,
               ValueId value,
               const std::vector<int64_t>& axes,
               bool keep = true);
  // `op` (of two inputs) with constant integers as its second input: axes, a shape.
  ValueId With(const std::string& op, ValueId value, const std::vector<int64_t>& integers);
  // The value converted to this element type; the value itself if it already has it.
  ValueId As(ElementType element, ValueId value);

  // Adds a node with its own name, and outputs with the given names; "" = not requested. The node
  // may have bodies.
  std::vector<ValueId> Append(Node node, const std::vector<std::string>& outputs);
  // Adds a node of operator `op` on these inputs, otherwise like `node`, a node of another graph.
  // Returns all its outputs.
  std::vector<ValueId> Like(const OpDef& op, const Node& node, const std::vector<ValueId>& inputs);
  // Adds a call without bodies, and inputs for it: constants if their elements are known. Returns
  // all its outputs; all new names start with `name`.
  std::vector<ValueId> AddCall(const OpCall& call, const std::string& name);
  // Adds a node unchanged, whose outputs already exist. It is not typed.
  void Keep(Node node) { graph_.AddNode(std::move(node)); }
  // A name that is not used yet; marks it as used.
  std::string Fresh(const std::string& wanted);

  void Output(ValueId value) { graph_.outputs.push_back(value); }
  // `output` replaces `input`, an input or a parameter, from step to step.
  void State(ValueId input, ValueId output) { graph_.state.push_back({input, output}); }
  void Sum(ValueId input, ValueId output) {
    graph_.state.push_back({input, output, /*sums=*/true});
  }

  Result<Graph> Done();

 protected:
  // Adds a node with its outputs; returns their ids, 0 after an error.
  std::vector<ValueId> Write(const OpDef& op, Node node, const std::vector<std::string>& outputs);
  // The same with generated names.
  std::vector<ValueId> Write(const OpDef& op, Node node);
  // An input under a generated name; `place` makes it unique.
  ValueId InputAt(size_t place, TensorType type);

 private:
  ValueId AddValue(std::string name, TensorType type, ValueKind kind, Tensor data);
  // A node and its outputs under unused names; "" = not wanted.
  std::vector<ValueId> WriteAs(const OpDef& op, Node node, std::vector<std::string> outputs);
  // A generated name, of a letter or an operator and a number, which no other generated name
  // equals.
  std::string Own(std::string name) {
    if (!all_own_) return Fresh(name);
    return name;
  }
  // nullptr, and an error, if the operator is not in the table.
  const OpDef* Find(const Node& node);
  void Fail(const Node& node, Error error);

  const OpTable* ops_;
  Graph graph_;
  const Graph* rewritten_ = nullptr;
  std::optional<UniqueNames> names_;  // once a name is looked up
  bool all_own_ = false;              // all names so far were generated by Own
  std::optional<Error> error_;
};

}  // namespace metadist
