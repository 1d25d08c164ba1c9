// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/book/rule_book.h"
#include "planner/rules/compose/composite.h"
#include "planner/rules/compose/kernel_only.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/probe/shrink.h"
#include "planner/rules/search/discover_small.h"

namespace metadist::testing {

// The rule of a call, with its decomposition if it has one.
inline SymbolicRule DiscoverWhole(const OpCall& call, uint64_t seed = 0) {
  if (call.op->decompose == nullptr) return Discover(call, {seed});
  RuleBook book(OpTable::BuiltIn(), {.seed = seed});
  const InnerFound rules = [&](const Graph& graph, const Node& node) {
    return book.Found(graph, node);
  };
  BlackBox real(call);
  SymbolicRule found;
  found.text = "none";
  for (const ShrinkOrder order : kShrinkOrders) {
    BlackBox box(call);
    std::optional<std::vector<int64_t>> values = SmallCalls(box).By(order, found.reason);
    if (!values) continue;
    box.set_values(std::move(*values));
    SymbolicRule next = DiscoverSmall(box, {.seed = seed});
    const TestedCall small{box, OpTable::BuiltIn(), rules, seed};
    const int64_t runs = box.kernel_runs();
    FindComposites(small, next);
    FindKernelOnly(small, next);
    next.kernel_runs += box.kernel_runs() - runs;
    if (SolveAtoms(next, real)) return next;
  }
  return found;
}

}  // namespace metadist::testing
