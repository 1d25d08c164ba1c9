// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/unique_names.h"
#include "metair/ops/op_def.h"

namespace metadist {

// Copies bodies of control flow into the enclosing graph if it is known in advance what runs: a
// constant condition, or a small, known number of iterations.
class BodyInliner {
 public:
  // Appends a node to the graph and types it, or replaces it by constants. False if its operator
  // rejects it.
  using Add = std::function<bool(Node)>;

  // graph: must still contain all its nodes, so that new names are unique.
  BodyInliner(Graph* graph, Add add);

  enum class Done { kNo, kYes, kRefused };
  // kYes: other nodes compute the node's results. kNo: nothing has changed, although `add` may have
  // rejected a node. kRefused: a node that is certain to run was rejected.
  Done Inline(const Node& node, const OpCall& call);

 private:
  using Ids = std::vector<ValueId>;

  Done InlineBranch(const Node& node, const OpCall& call);
  bool UnrollLoop(const Node& node, const OpCall& call);
  bool UnrollScan(const Node& node, const OpCall& call);
  // Appends the body's nodes; returns its outputs, or nullopt if a node was rejected.
  std::optional<Ids> Splice(const Region& region, const Ids& own, const std::string& prefix);
  std::optional<Ids> SpliceNodes(const Graph& body, Ids* ids, const std::string& prefix);
  bool Forward(const Ids& from, const Ids& to);
  bool StackTo(const Ids& slices, int64_t axis, ValueId to, const std::string& prefix);
  ValueId Constant(Tensor data, const std::string& name);
  ValueId Result(const std::string& name);
  bool Emit(const std::string& op, Ids inputs, ValueId output, int64_t axis);

  Graph* graph_;
  Add add_;
  UniqueNames names_;
};

// Constants that the node's bodies capture become constants of the bodies.
void AbsorbConstants(const Graph& graph, Node* node);

}  // namespace metadist
