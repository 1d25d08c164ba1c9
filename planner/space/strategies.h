// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/fusion.h"
#include "planner/redistribute/redistribute.h"
#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/factor/rule.h"
#include "planner/space/assignment.h"
#include "planner/space/block_cyclic.h"
#include "profiles/cluster.h"
#include "profiles/priced.h"

namespace metadist {

// The sharding of a value of this type with its partial axes as the policy holds them.
Sharding WithHeldSums(Sharding sharding, ElementType type, ReduceIn reduce_in);

struct PricedStrategy {
  Strategy strategy;
  Priced compute;  // of one run on the rank with the largest pieces
};

// The strategies of one node, shared by all nodes alike.
using StrategyList = std::shared_ptr<const std::vector<PricedStrategy>>;

// Where strategies are looked for. All pointers must outlive the calls.
struct StrategySpace {
  const Graph* graph = nullptr;
  const OpTable* ops = nullptr;
  const Mesh* mesh = nullptr;
  const Cluster* cluster = nullptr;
  // Most strategies of one node. Of more, those are kept that leave fewest axes idle and then
  // compute fastest; running whole on every rank is always kept.
  int64_t limit = 96;
  // For strategies that run a node as its decomposition; without them there are none such.
  Redistributor* routes = nullptr;
  InnerRules inner_rules = nullptr;
  ReduceIn reduce_in = ReduceIn::kF32;
  // Of the node at hand, if it belongs to a fused group.
  const FusedOperands* fused = nullptr;
};

// The strategy in which axis a works on factor choices[a] of the rule (or, from factors.size() on,
// on a pass-through; -1: on none), with shardings in normal form. None where it cannot be placed.
std::optional<Strategy> BuildStrategy(const StrategySpace& space,
                                      const Node& node,
                                      const Rule& rule,
                                      const std::vector<int>& choices);

// Whether the operator's inference accepts the local call on the first and the last rank, and makes
// what the strategy promises.
bool FitsEverywhere(const StrategySpace& space,
                    const OpDef& op,
                    const Node& node,
                    const Strategy& strategy);

// Every way to run the node that its rule allows and its operator's own inference accepts on the
// first, the last and the widest rank, with distinct shardings; the first one runs whole on every
// rank. Shardings are in normal form, no value has partial axes of different reductions. The order
// depends on rule and mesh only.  pruned: if given, raised by the number of strategies left out by
// the limit.  layouts: block-cyclic ones in which factors may take their groups too; strategies
// that use them come last, and as many as the limit leaves room for.  passes: by pass-through of
// the rule, whether it is of use; empty: all are. Where there are too many ways to try all
// (hundreds of operands, four axes), the last pass-throughs and then the last factors are left out.
std::vector<PricedStrategy> StrategiesOf(const StrategySpace& space,
                                         const Node& node,
                                         const Rule& rule,
                                         int64_t* pruned = nullptr,
                                         const std::vector<BlockCyclicFactor>& layouts = {},
                                         const std::vector<bool>& passes = {});

// Seconds of a node's local call on the widest rank (nothing for unknown operators and
// collectives).
Priced CallPrice(const StrategySpace& space, const Node& node, const CallLayout& layout);
// The same with what the strategy computes around the call.
Priced ComputePrice(const StrategySpace& space, const Node& node, const Strategy& strategy);

}  // namespace metadist
