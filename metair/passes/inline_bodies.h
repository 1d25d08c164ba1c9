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

// Copies bodies of control flow into the graph around them, where what is run is known before: a
// condition that is constant, rounds that can be counted and are few.
class BodyInliner {
 public:
  // Appends a node to the graph and types it, or replaces it by constants. False if its operator
  // refuses it.
  using Add = std::function<bool(Node)>;

  // graph: holds all its nodes still, so that names can be told apart.
  BodyInliner(Graph* graph, Add add);

  enum class Done { kNo, kYes, kRefused };
  // kYes: the node's results are made by other nodes now. kNo: nothing has happened, but that `add`
  // may have refused a node. kRefused: a node that is certain to run was refused.
  Done Inline(const Node& node, const OpCall& call);

 private:
  using Ids = std::vector<ValueId>;

  Done InlineBranch(const Node& node, const OpCall& call);
  bool UnrollLoop(const Node& node, const OpCall& call);
  bool UnrollScan(const Node& node, const OpCall& call);
  // Appends the body's nodes; its outputs, or nothing if one was refused.
  std::optional<Ids> Splice(const Region& region, const Ids& own, const std::string& prefix);
  std::optional<Ids> SpliceNodes(const Graph& body, Ids* ids, const std::string& prefix);
  bool Forward(const Ids& from, const Ids& to, const std::string& prefix);
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
