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

// Sets whether the sharding's partial sums of this type are held in f32, by the policy.
Sharding WithHeldSums(Sharding sharding, ElementType type, ReduceIn reduce_in);

struct PricedStrategy {
  Strategy strategy;
  Priced compute;  // of one run on the rank with the largest pieces
};

// The strategies of one node, shared by all equal nodes.
using StrategyList = std::shared_ptr<const std::vector<PricedStrategy>>;

// What the strategies of a graph's nodes depend on. All pointers must outlive the calls.
struct StrategySpace {
  const Graph* graph = nullptr;
  const OpTable* ops = nullptr;
  const Mesh* mesh = nullptr;
  const Cluster* cluster = nullptr;
  // Most strategies of one node. If there are more, those with the fewest idle axes are kept, then
  // the fastest to compute; running replicated is always kept.
  int64_t limit = 96;
  // For strategies that run a node as its decomposition; if null, there are no such strategies.
  Redistributor* routes = nullptr;
  InnerRules inner_rules = nullptr;
  ReduceIn reduce_in = ReduceIn::kF32;
  // Of the node at hand, if it belongs to a fused group.
  const FusedOperands* fused = nullptr;
  // Of the node at hand: axes that share a factor cut it in every order, not only with the first
  // axis as the major one.
  bool every_order = false;
};

// The strategy in which axis a works on factor choices[a] of the rule (from factors.size() on: on a
// pass-through; -1: on none), with shardings in normal form. nullopt if it cannot be built.
std::optional<Strategy> BuildStrategy(const StrategySpace& space,
                                      const Node& node,
                                      const Rule& rule,
                                      const std::vector<int>& choices);

// Whether the operator's inference accepts the local call on the first, the last and the widest
// rank, and infers the shapes that the strategy promises.
bool FitsEverywhere(const StrategySpace& space,
                    const OpDef& op,
                    const Node& node,
                    const Strategy& strategy);

// Every way to run the node that its rule allows and that the operator's own inference accepts on
// the first, the last and the widest rank, with distinct shardings; the first one runs replicated.
// Shardings are in normal form; no value has partial axes of different reductions. The order
// depends only on the rule and the mesh.
//
// pruned: if given, raised by the number of strategies dropped by the limit. layouts: block-cyclic
// layouts in which factors may also take their groups; strategies that use them come last, as many
// as the limit leaves room for. passes: by pass-through of the rule, whether it is of use; empty:
// all are. If there are too many combinations to try (hundreds of operands, four axes), the last
// pass-throughs and then the last factors are left out.
std::vector<PricedStrategy> StrategiesOf(const StrategySpace& space,
                                         const Node& node,
                                         const Rule& rule,
                                         int64_t* pruned = nullptr,
                                         const std::vector<BlockCyclicFactor>& layouts = {},
                                         const std::vector<bool>& passes = {});

// Price of a node's local call on the widest rank (none for unknown operators and collectives).
Priced CallPrice(const StrategySpace& space, const Node& node, const CallLayout& layout);
// The same, plus the strategy's work around the call.
Priced ComputePrice(const StrategySpace& space, const Node& node, const Strategy& strategy);

}  // namespace metadist
