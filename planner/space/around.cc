// SPDX-License-Identifier: Apache-2.0
#include "planner/space/around.h"

#include <utility>

#include "metair/ops/local_index.h"
#include "planner/redistribute/route_steps.h"
#include "planner/redistribute/step_price.h"
#include "planner/space/local_call.h"

namespace metadist {
namespace {

Priced CountingPrice(const StrategySpace& space,
                     const Node& node,
                     const Strategy& strategy,
                     const CountedInput& counted) {
  const size_t input = static_cast<size_t>(counted.input);
  const Node counting = CountingNode(counted, "", node.inputs[input], node.inputs[input]);
  const OpDef* op = space.ops->Find(counting);
  if (op == nullptr) return {};
  const std::vector<LocalLiteral> literals = CountingLiterals(counted);
  const std::span<const Sharding> indices(&strategy.inputs[input], 1);
  const CallLayout alone{indices, indices, literals};
  const LocalCall local(*op, *space.graph, counting, alone, *space.mesh, 0);
  if (!local.Fits()) return {};
  ComputeWork work = local.work();
  if (!space.cluster->profile->calls.empty()) work.call = local.text();
  return ComputeSeconds(*space.cluster, work);
}

}  // namespace

Node CountingNode(const CountedInput& counted, std::string name, ValueId indices, ValueId made) {
  return LocalIndexNode(std::move(name),
                        {.start = 0,
                         .length = counted.size,
                         .whole = counted.from_end ? counted.size : 0,
                         .column = counted.column},
                        indices,
                        made);
}

std::vector<LocalLiteral> CountingLiterals(const CountedInput& counted) {
  return {{kNone, "length", {{counted.view}}},
          {kNone, "start", {{counted.view, LocalEntry::Kind::kShifted, 1, 0}}}};
}

Priced AroundPrice(const StrategySpace& space, const Node& node, const Strategy& strategy) {
  Priced price;
  for (const CountedInput& counted : strategy.indices)
    price += CountingPrice(space, node, strategy, counted);
  if (strategy.made.empty()) return price;
  StepPricer pricer(*space.mesh, *space.cluster);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (node.outputs[o] == kNone || strategy.made[o] == strategy.outputs[o]) continue;
    price += pricer.Price(DropStep(strategy.made[o]), space.graph->value(node.outputs[o]).type);
  }
  return price;
}

}  // namespace metadist
