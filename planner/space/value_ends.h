// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "planner/space/edge_costs.h"
#include "planner/space/strategies.h"

namespace metadist {

// How values leave the nodes that make them and reach those that take them, by strategy. Worked out
// once for all nodes of a class; references stay valid as long as the object.
class ValueEnds {
 public:
  struct Made {
    std::vector<Sharding> by_strategy;
    std::set<Sharding> all;
    int source = 0;  // as EdgeCosts numbers it
  };
  struct Taken {
    const std::set<Sharding>* all = nullptr;
    int target = 0;  // as EdgeCosts numbers what is taken by each strategy
  };

  // classes: by node, equal for nodes with equal operands' ranks that share one list of strategies.
  // All arguments must outlive the object.
  ValueEnds(const Graph& graph,
            const std::vector<int>& classes,
            const std::vector<StrategyList>& strategies,
            EdgeCosts& costs)
      : graph_(graph), classes_(classes), strategies_(strategies), costs_(costs) {}

  // A result, as its producer makes it.
  const Made& MadeOf(ValueId value);
  // The value, as node `user` takes it: whole where only a region of the node captures it.
  Taken TakenBy(NodeId user, ValueId value);

 private:
  std::vector<size_t> PositionsOf(NodeId user, ValueId value);

  const Graph& graph_;
  const std::vector<int>& classes_;
  const std::vector<StrategyList>& strategies_;
  EdgeCosts& costs_;
  std::map<std::pair<int, size_t>, Made> made_;  // by class and output
  // By class, inputs, and the rank of the value.
  std::map<std::tuple<int, std::vector<size_t>, size_t>, Taken> taken_;
  std::map<int, std::set<Sharding>> all_of_target_;
  // Where a node has a value among its inputs.
  std::unordered_map<NodeId, std::unordered_map<ValueId, std::vector<size_t>>> positions_;
};

}  // namespace metadist
