// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metair/ir/attribute.h"
#include "metair/ir/tensor.h"

namespace metadist {

using ValueId = int32_t;
using NodeId = int32_t;
// An omitted optional input, or a node that does not exist.
inline constexpr int32_t kNone = -1;

enum class ValueKind : uint8_t {
  kInput,      // given on each run
  kParameter,  // stored in a checkpoint; bytes may be absent
  kConstant,   // fixed by the model; bytes present unless they depend on an absent parameter
  kResult,     // made by a node
};

struct Value {
  std::string name;  // unique in its graph, not empty
  TensorType type;
  ValueKind kind = ValueKind::kResult;
  Tensor data;              // of kParameter and kConstant
  NodeId producer = kNone;  // of kResult

  // Whether its elements are known before running.
  bool is_known() const { return kind == ValueKind::kConstant && data.has_data(); }
};

struct Graph;

// A body run by a control-flow node. Values of the enclosing graph that the body reads are passed
// explicitly: captures[i] of the node's graph is the i-th of the last captures.size() body inputs.
struct Region {
  std::string name;  // ONNX attribute name: then_branch, else_branch, body
  std::shared_ptr<const Graph> graph;
  std::vector<ValueId> captures;
};

struct Node {
  std::string name;    // for reports; unique in its graph, not empty
  std::string domain;  // "" = ONNX; "metadist" = collectives and our own operators
  std::string op;
  Attributes attributes;
  std::vector<ValueId> inputs;   // kNone = omitted
  std::vector<ValueId> outputs;  // kNone = not requested
  std::vector<Region> regions;
};

// An input (or parameter) that carries state from step to step, and the output of the graph that
// replaces it. One output may replace several.
struct StatePair {
  ValueId input;
  ValueId output;
  // A sum over the micro-batches of a step: the input is zero before the first, and carried from
  // one to the next. The new value need not be an output of the graph.
  bool sums = false;
};

inline constexpr int64_t kMostMicroBatches = 65536;

// A computation over tensors: nodes in topological order, every value made once.
struct Graph {
  std::string name;
  int64_t opset = 0;  // of the ONNX domain
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;   // of kind kInput
  std::vector<ValueId> outputs;  // any values
  std::vector<StatePair> state;
  // A step runs the graph once for each (micro_batches.h).
  int64_t micro_batches = 1;

  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes[static_cast<size_t>(id)]; }
  const Node& node(NodeId id) const { return nodes[static_cast<size_t>(id)]; }

  ValueId AddValue(Value value);
  // Appends a node and marks it as producer of its outputs.
  NodeId AddNode(Node node);
  // First value of that name, or kNone.
  ValueId FindValue(const std::string& name) const;
  // Parameters or constants, in value order.
  std::vector<ValueId> OfKind(ValueKind kind) const;
};

// Values that a node reads: its inputs (kNone if omitted), then those its bodies capture.
std::vector<ValueId> ReadsOf(const Node& node);

// A use of a value: by input `input` of `node`, or (node == kNone) as graph output `input`.
struct Use {
  NodeId node;
  int input;
};

// Uses of every value, by value id, in node order, graph outputs last. A region's capture counts as
// a use with input = number of node inputs + position among all captures.
std::vector<std::vector<Use>> UsesOf(const Graph& graph);

// Copy with only these values, renumbered in this order, and the nodes n with nodes[n], which use
// no others. kNone and repeated ids are skipped. ids: by old id of a value, its new one, or kNone.
Graph WithOnly(Graph graph,
               const std::vector<ValueId>& values,
               const std::vector<bool>& nodes,
               std::vector<ValueId>* ids = nullptr);

// Copy without dead nodes, unused constants, and unused parameters that carry no state; ids are
// renumbered, order is kept.
Graph WithoutDeadCode(const Graph& graph);

}  // namespace metadist
