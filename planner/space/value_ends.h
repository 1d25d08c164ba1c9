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

// The shardings in which nodes make and take their values, by strategy. Computed once for all nodes
// of a class; references stay valid as long as the object.
class ValueEnds {
 public:
  struct Made {
    std::vector<Sharding> by_strategy;
    std::set<Sharding> all;
    int source = 0;  // number of by_strategy in EdgeCosts
  };
  struct Taken {
    const std::set<Sharding>* all = nullptr;
    int target = 0;  // number in EdgeCosts of what each strategy takes
  };

  // classes: by node; nodes of one class share one list of strategies, and their operands have
  // equal ranks. All arguments must outlive the object.
  ValueEnds(const Graph& graph,
            const std::vector<int>& classes,
            const std::vector<StrategyList>& strategies,
            EdgeCosts& costs)
      : graph_(graph), classes_(classes), strategies_(strategies), costs_(costs) {}

  // The shardings in which its producer makes a result.
  const Made& MadeOf(ValueId value);
  // The shardings in which node `user` takes the value: replicated if only a region of the node
  // captures it.
  Taken TakenBy(NodeId user, ValueId value);

 private:
  std::vector<size_t> PositionsOf(NodeId user, ValueId value);

  const Graph& graph_;
  const std::vector<int>& classes_;
  const std::vector<StrategyList>& strategies_;
  EdgeCosts& costs_;
  std::map<std::pair<int, size_t>, Made> made_;  // by class and output
  // By class, input positions, and the rank of the value.
  std::map<std::tuple<int, std::vector<size_t>, size_t>, Taken> taken_;
  std::map<int, std::set<Sharding>> all_of_target_;
  // By node and value: the positions of the value among the node's inputs.
  std::unordered_map<NodeId, std::unordered_map<ValueId, std::vector<size_t>>> positions_;
};

}  // namespace metadist
