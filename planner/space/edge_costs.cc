// SPDX-License-Identifier: Apache-2.0
#include "planner/space/edge_costs.h"

#include <cmath>
#include <memory>
#include <utility>

namespace metadist {

int64_t Picoseconds(double seconds) { return std::llround(seconds * 1e12); }

double EdgeCosts::SecondsBetween(const TensorType& type, const Sharding& from, const Sharding& to) {
  if (from == to) return 0;
  const auto type_id =
      types_.emplace(std::pair(type.element, type.shape), static_cast<int>(types_.size()));
  const auto [at, added] = seconds_.try_emplace({type_id.first->second, IdOf(from), IdOf(to)}, 0.0);
  if (added) at->second = routes_.Seconds(type, from, to);
  return at->second;
}

int EdgeCosts::IdOf(const Sharding& sharding) {
  return ids_.emplace(sharding, static_cast<int>(ids_.size())).first->second;
}

CostMatrix EdgeCosts::Between(const TensorType& type,
                              const std::vector<Sharding>& from,
                              const std::vector<std::set<Sharding>>& to) {
  Key key{type.element, type.shape, {}, {}};
  for (const Sharding& sharding : from) std::get<2>(key).push_back(IdOf(sharding));
  for (const std::set<Sharding>& wanted : to)
    std::get<3>(key).push_back(
        set_ids_.emplace(wanted, static_cast<int>(set_ids_.size())).first->second);
  CostMatrix& matrix = matrices_[key];
  if (matrix) return matrix;
  std::map<std::pair<int, int>, int64_t> distinct;
  std::vector<int64_t> entries;
  for (size_t a = 0; a < from.size(); ++a) {
    for (size_t b = 0; b < to.size(); ++b) {
      const auto [at, added] =
          distinct.emplace(std::pair(std::get<2>(key)[a], std::get<3>(key)[b]), 0);
      if (added) {
        double seconds = 0;
        for (const Sharding& wanted : to[b]) seconds += SecondsBetween(type, from[a], wanted);
        at->second = Picoseconds(seconds);
      }
      entries.push_back(at->second);
    }
  }
  matrix = std::make_shared<const std::vector<int64_t>>(std::move(entries));
  return matrix;
}

}  // namespace metadist
