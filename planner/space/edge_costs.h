// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/redistribute/redistribute.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

// A price as the solvers count it.
int64_t Picoseconds(double seconds);

// Cost matrices of redistribution between two decisions. What a decision can be is numbered once,
// so that equal matrices are found by three numbers, made once and shared.
class EdgeCosts {
 public:
  explicit EdgeCosts(Redistributor& routes) : routes_(routes) {}

  // The number of a list: equal lists, equal numbers. All shardings in normal form.
  // The value's sharding by strategy of the decision that gives it.
  int Source(const std::vector<Sharding>& by_strategy);
  // By strategy of the decision that takes it, the shardings it wants (each is paid once).
  int Target(const std::vector<std::set<Sharding>>& by_strategy);

  // nullptr where everything is free. source, target: numbers of lists that fit the type.
  CostMatrix Between(const TensorType& type, int source, int target);

 private:
  // Type, source and target, by number.
  struct Triple {
    int type, from, to;
    bool operator==(const Triple&) const = default;
  };
  struct Hash {
    size_t operator()(const Triple& key) const;
  };

  double SecondsBetween(const TensorType& type, const Triple& key);
  CostMatrix Make(const TensorType& type, const Triple& key);
  int IdOf(const Sharding& sharding);

  Redistributor& routes_;
  std::map<std::pair<ElementType, Shape>, int> types_;
  std::map<Sharding, int> ids_;
  std::vector<const Sharding*> shardings_;                // by id
  std::map<std::vector<int>, int> sources_;               // ids
  std::map<std::vector<std::vector<int>>, int> targets_;  // ids in the order of shardings
  std::vector<const std::vector<int>*> source_;           // by number
  std::vector<const std::vector<std::vector<int>>*> target_;
  std::unordered_map<Triple, double, Hash> seconds_;       // between shardings
  std::unordered_map<Triple, CostMatrix, Hash> matrices_;  // between lists
};

}  // namespace metadist
