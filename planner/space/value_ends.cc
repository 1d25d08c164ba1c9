// SPDX-License-Identifier: Apache-2.0
#include "planner/space/value_ends.h"

#include <algorithm>

namespace metadist {

const ValueEnds::Made& ValueEnds::MadeOf(ValueId value) {
  const NodeId producer = graph_.value(value).producer;
  const size_t n = static_cast<size_t>(producer);
  const std::vector<ValueId>& outputs = graph_.node(producer).outputs;
  const size_t position =
      static_cast<size_t>(std::find(outputs.begin(), outputs.end(), value) - outputs.begin());
  const auto [at, added] = made_.try_emplace({classes_[n], position});
  Made& made = at->second;
  if (!added) return made;
  for (const PricedStrategy& s : *strategies_[n])
    made.by_strategy.push_back(s.strategy.outputs[position]);
  made.all.insert(made.by_strategy.begin(), made.by_strategy.end());
  made.source = costs_.Source(made.by_strategy);
  return made;
}

std::vector<size_t> ValueEnds::PositionsOf(NodeId user, ValueId value) {
  const std::vector<ValueId>& inputs = graph_.node(user).inputs;
  auto& known = positions_[user];
  if (known.empty())
    for (size_t i = 0; i < inputs.size(); ++i) known[inputs[i]].push_back(i);
  const auto found = known.find(value);
  return found != known.end() ? found->second : std::vector<size_t>();
}

ValueEnds::Taken ValueEnds::TakenBy(NodeId user, ValueId value) {
  const size_t n = static_cast<size_t>(user);
  const std::vector<size_t> positions = PositionsOf(user, value);
  const size_t rank = graph_.value(value).type.shape.size();
  const auto [at, added] = taken_.try_emplace({classes_[n], positions, rank});
  Taken& taken = at->second;
  if (!added) return taken;
  std::vector<std::set<Sharding>> by_strategy;
  for (const PricedStrategy& s : *strategies_[n]) {
    std::set<Sharding>& wanted = by_strategy.emplace_back();
    for (size_t i : positions) wanted.insert(s.strategy.inputs[i]);
    if (wanted.empty()) wanted.insert(Sharding::Replicated(rank));
  }
  taken.target = costs_.Target(by_strategy);
  // Most inputs of an operator are taken in the same ways.
  const auto [known, fresh] = all_of_target_.try_emplace(taken.target);
  taken.all = &known->second;
  if (fresh)
    for (const std::set<Sharding>& wanted : by_strategy)
      known->second.insert(wanted.begin(), wanted.end());
  return taken;
}

}  // namespace metadist
