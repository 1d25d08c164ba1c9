// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/redistribute/redistribute.h"
#include "planner/solvers/problem.h"

namespace metadist {

// A price as the solvers count it.
int64_t Picoseconds(double seconds);

// Cost matrices of redistribution between two decisions; equal ones are made once and shared.
class EdgeCosts {
 public:
  explicit EdgeCosts(Redistributor& routes) : routes_(routes) {}

  // from: the value's sharding by strategy of the first decision. to: by strategy of the second,
  // the shardings it takes the value in (each distinct one is paid once).
  CostMatrix Between(const TensorType& type,
                     const std::vector<Sharding>& from,
                     const std::vector<std::set<Sharding>>& to);

 private:
  using Key = std::tuple<ElementType, Shape, std::vector<int>, std::vector<int>>;

  double SecondsBetween(const TensorType& type, const Sharding& from, const Sharding& to);
  int IdOf(const Sharding& sharding);

  Redistributor& routes_;
  std::map<std::pair<ElementType, Shape>, int> types_;
  std::map<std::tuple<int, int, int>, double> seconds_;  // by type, from, to
  std::map<Sharding, int> ids_;
  std::map<std::set<Sharding>, int> set_ids_;
  std::map<Key, CostMatrix> matrices_;
};

}  // namespace metadist
