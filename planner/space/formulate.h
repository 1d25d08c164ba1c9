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
#include "planner/space/strategies.h"

namespace metadist {

// How much freedom there is.
enum class PlanTemplate : uint8_t {
  kAuto,          // all strategies
  kReplicate,     // every rank does everything
  kDataParallel,  // inputs cut along their first dim over all ranks, parameters on every rank
};

// `--constrain PATTERN=SHARDING`: values whose name matches the glob (* and ?) are placed so: as
// stored (inputs, parameters, constants) or as kept for their uses (results).
struct Constraint {
  std::string pattern;
  std::string sharding;  // text, as ParseSharding reads it
};

struct FormulateRequest {
  const Graph* graph = nullptr;
  const OpTable* ops = nullptr;
  std::function<const Rule&(const Node&)> rule_of;  // references stay valid
  InnerRules inner_rules = nullptr;  // of nodes of decompositions; without it none is used
  std::vector<Constraint> constraints;
  PlanTemplate plan_template = PlanTemplate::kAuto;
  int64_t strategy_limit = 96;  // of one node
  ReduceIn reduce_in = ReduceIn::kF32;
  // Also pass-throughs that no partial value of the graph reaches (partial_flow.h), to try them.
  bool every_pass = false;
};

// Where the decisions about values stand among the problem's nodes; -1: there is none.
struct ValueDecisions {
  std::vector<int> of_value;   // stored or kept, by value
  std::vector<int> of_output;  // by output position
};

// A graph's decisions as numbers, and the way back.
//
// Decisions: the strategy of every node; how every input, parameter and constant is stored; how
// every result with several uses, or a late one, is kept; how every output is placed. An output
// that replaces state from step to step, and that state, are one decision. Edges: seconds of
// redistribution between them. Times: node n runs at 2n, 2n + 1 lies behind it. Usages never exceed
// what the lowered program needs (copies that depend on two decisions are not counted), so a bound
// on the peak holds for every program of this space.
struct Formulation {
  // What a problem node decides.
  struct Decision {
    enum class Kind : uint8_t { kNode, kStored, kKept, kOutput, kFixed };
    Kind kind = Kind::kNode;
    int32_t id = 0;  // node, value (of state the first), value, output position, nothing
    // Shared by all decisions alike; nullptr for kNode and kFixed.
    std::shared_ptr<const std::vector<Sharding>> candidates;
  };

  Problem problem;                       // tied where layers repeat; no usage_limit
  std::vector<Decision> decisions;       // by problem node
  std::vector<StrategyList> strategies;  // by graph node
  ValueDecisions where;
  std::vector<Sharding> fixed;  // by value, where nothing is decided
  int64_t pruned = 0;           // strategies left out by the limit, counted once per signature
  int64_t tied_nodes = 0;       // problem nodes that follow another
  int64_t counted_rank = 0;     // whose bytes the memory rows are

  Assignment Decode(const Graph& graph, const Choice& choice) const;
  int64_t num_strategies() const;
};

// Errors: kUsage for constraints that match nothing or cannot be placed, all at once.
Result<Formulation> Formulate(const FormulateRequest& request, Redistributor& routes);

}  // namespace metadist
