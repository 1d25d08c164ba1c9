// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/redistribute/redistribute.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

// A price in the integer unit of the solvers.
int64_t Picoseconds(double seconds);

// Cost matrices of redistribution between two decisions. The options of each decision are numbered
// once, so that equal matrices are found by three numbers, computed once and shared.
class EdgeCosts {
 public:
  explicit EdgeCosts(Redistributor& routes) : routes_(routes) {}

  // The number of a list; equal lists have equal numbers. All shardings are in normal form.
  // by_strategy: the value's sharding for each strategy of the decision that makes it.
  int Source(const std::vector<Sharding>& by_strategy);
  // by_strategy: for each strategy of the decision that takes it, the shardings it requires (each
  // is paid for once).
  int Target(const std::vector<std::set<Sharding>>& by_strategy);

  // Costs of `times` redistributions; nullptr if everything is free. source, target: numbers of
  // lists for values of this type.
  CostMatrix Between(const TensorType& type, int source, int target, int64_t times = 1);

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
  std::map<std::pair<CostMatrix, int64_t>, CostMatrix> repeated_;
};

}  // namespace metadist
