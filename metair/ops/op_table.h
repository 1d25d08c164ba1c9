// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// A table of operators: a value, so that custom, opaque and test-only operators can be added.
class OpTable {
 public:
  // Every operator of ops.def.
  static const OpTable& BuiltIn();

  // nullptr if unknown.
  const OpDef* Find(const std::string& domain, const std::string& name) const;
  const OpDef* Find(const Node& node) const { return Find(node.domain, node.op); }
  // Replaces an operator of the same domain and name. Pointers to other operators remain valid.
  void Add(OpDef op);
  // In (domain, name) order.
  std::vector<const OpDef*> all() const;

 private:
  std::map<std::pair<std::string, std::string>, OpDef> ops_;
};

// Whether what is used here may be weights (OpDef::untrained); false for an output of the graph.
bool MayReadWeights(const OpTable& ops, const Graph& graph, const Use& use);

}  // namespace metadist
