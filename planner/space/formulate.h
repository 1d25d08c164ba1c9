// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/ops/op_table.h"
#include "planner/redistribute/redistribute.h"
#include "planner/rules/factor/rule.h"
#include "planner/solvers/problem/problem.h"
#include "planner/space/assignment.h"
#include "planner/space/edge_costs.h"
#include "planner/space/strategies.h"

namespace metadist {

// `--constrain PATTERN=SHARDING`: the sharding of all values whose name matches the glob (* and ?):
// as stored (inputs, parameters, constants) or as kept for their uses (results).
struct Constraint {
  std::string pattern;
  std::string sharding;  // text, as ParseSharding reads it
};

struct FormulateRequest {
  const Graph* graph = nullptr;
  const OpTable* ops = nullptr;
  std::function<const Rule&(const Node&)> rule_of;  // references stay valid
  InnerRules inner_rules = nullptr;  // of nodes of decompositions; if null, no decompositions are
                                     // used
  std::vector<Constraint> constraints;
  int64_t strategy_limit = 96;  // of one node
  ReduceIn reduce_in = ReduceIn::kF32;
  int threads = 1;
  EdgeCosts* costs = nullptr;  // known ones, to use and to add to; of the same mesh and cluster
  // Also offer pass-throughs that no partial value of the graph reaches (partial_flow.h); for
  // tests.
  bool every_pass = false;
};

// Indices of the decisions about values among the problem's nodes; -1: no decision.
struct ValueDecisions {
  std::vector<int> of_value;   // stored or kept, by value
  std::vector<int> of_output;  // by output position
};

// A graph's decisions as numbers, and how to decode a choice.
//
// Decisions: the strategy of every node; how every input, parameter and constant is stored; how
// every result with several uses, or a late use, is kept; how every output is placed. State and the
// output that replaces it from step to step are one decision. Edges: picoseconds of redistribution
// between decisions. Times: node n runs at 2n, and 2n + 1 is the time after it. Usages never exceed
// what the lowered program needs (copies that depend on two decisions are not counted), so a lower
// bound on the peak holds for every program of this space.
struct Formulation {
  // What a problem node decides.
  struct Decision {
    enum class Kind : uint8_t { kNode, kStored, kKept, kOutput, kFixed };
    Kind kind = Kind::kNode;
    int32_t id = 0;  // node, value (the first of a state), value, output position, unused
    // Shared by all decisions with equal candidates; nullptr for kNode and kFixed.
    std::shared_ptr<const std::vector<Sharding>> candidates;
  };

  Problem problem;                       // tied where layers repeat; no usage_limit
  std::vector<Decision> decisions;       // by problem node
  std::vector<StrategyList> strategies;  // by graph node
  ValueDecisions where;
  std::vector<Sharding> fixed;  // by value: its sharding if it has no decision
  int64_t pruned = 0;           // strategies dropped by the limit, counted once per signature
  int64_t tied_nodes = 0;       // problem nodes tied to an earlier one
  int64_t counted_rank = 0;     // the rank whose bytes the memory rows count

  Assignment Decode(const Graph& graph, const Choice& choice) const;
  int64_t num_strategies() const;
};

// Errors: kUsage, listing all constraints that match nothing or cannot be met.
Result<Formulation> Formulate(const FormulateRequest& request, Redistributor& routes);

}  // namespace metadist
