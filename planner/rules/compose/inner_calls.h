// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// The rule of a node of a decomposition, at its own sizes; used for planning.
using InnerRules = std::function<const Rule&(const Graph&, const Node&)>;

// The symbolic rule of a node of a decomposition; nullptr: it has none. The pointer stays valid.
using InnerFound = std::function<const SymbolicRule*(const Graph&, const Node&)>;

// A call of which factors are tested by running it, or its decomposition, in pieces.
struct TestedCall {
  BlackBox& box;
  const OpTable& ops;
  const InnerFound& inner;  // rules of the nodes of its decomposition
  uint64_t seed = 0;
};

// The rules of the nodes of one decomposition, at any sizes. The form of the decomposition does not
// depend on sizes, so a rule discovered for a node holds for the same node at other sizes, if that
// is a call of its family. Nothing is discovered again because two sizes happen to coincide there.
class InnerCalls {
 public:
  // base: the decomposition of the small call on which discovery runs.
  InnerCalls(const OpTable& ops, const InnerFound& found, const Graph& base);

  // The rule of node `node` of the decomposition at other sizes.
  Rule RuleOf(const Graph& graph, size_t node) const;

 private:
  const OpTable& ops_;
  const InnerFound& found_;
  std::vector<const SymbolicRule*> known_;  // by node
};

}  // namespace metadist
