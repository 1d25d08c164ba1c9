// SPDX-License-Identifier: Apache-2.0
#include "planner/space/edge_costs.h"

#include <algorithm>
#include <cmath>

namespace metadist {

int64_t Picoseconds(double seconds) { return std::llround(seconds * 1e12); }

size_t EdgeCosts::Hash::operator()(const Triple& key) const {
  uint64_t hash = static_cast<uint64_t>(key.from) << 32 | static_cast<uint32_t>(key.to);
  hash ^= static_cast<uint64_t>(key.type) << 20;
  hash *= 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 31);
}

int EdgeCosts::IdOf(const Sharding& sharding) {
  const auto [at, added] = ids_.emplace(sharding, static_cast<int>(ids_.size()));
  if (added) shardings_.push_back(&at->first);
  return at->second;
}

int EdgeCosts::Source(const std::vector<Sharding>& by_strategy) {
  std::vector<int> ids;
  for (const Sharding& sharding : by_strategy) ids.push_back(IdOf(sharding));
  const auto [at, added] = sources_.emplace(std::move(ids), static_cast<int>(sources_.size()));
  if (added) source_.push_back(&at->first);
  return at->second;
}

int EdgeCosts::Target(const std::vector<std::set<Sharding>>& by_strategy) {
  std::vector<std::vector<int>> ids;
  for (const std::set<Sharding>& wanted : by_strategy) {
    ids.emplace_back();
    for (const Sharding& sharding : wanted) ids.back().push_back(IdOf(sharding));
  }
  const auto [at, added] = targets_.emplace(std::move(ids), static_cast<int>(targets_.size()));
  if (added) target_.push_back(&at->first);
  return at->second;
}

double EdgeCosts::SecondsBetween(const TensorType& type, const Triple& key) {
  if (key.from == key.to) return 0;
  const auto [at, added] = seconds_.try_emplace(key, 0.0);
  if (added)
    at->second = routes_.Seconds(
        type, *shardings_[static_cast<size_t>(key.from)], *shardings_[static_cast<size_t>(key.to)]);
  return at->second;
}

CostMatrix EdgeCosts::Make(const TensorType& type, const Triple& key) {
  const std::vector<int>& from = *source_[static_cast<size_t>(key.from)];
  const std::vector<std::vector<int>>& to = *target_[static_cast<size_t>(key.to)];
  std::vector<int64_t> entries;
  entries.reserve(from.size() * to.size());
  for (int source : from) {
    for (const std::vector<int>& wanted : to) {
      double seconds = 0;
      for (int target : wanted) seconds += SecondsBetween(type, {key.type, source, target});
      entries.push_back(Picoseconds(seconds));
    }
  }
  if (std::all_of(entries.begin(), entries.end(), [](int64_t cost) { return cost == 0; }))
    return nullptr;
  return std::make_shared<const std::vector<int64_t>>(std::move(entries));
}

CostMatrix EdgeCosts::Between(const TensorType& type, int source, int target, int64_t times) {
  const auto numbered =
      types_.emplace(std::pair(type.element, type.shape), static_cast<int>(types_.size()));
  const Triple key{numbered.first->second, source, target};
  const auto [at, added] = matrices_.try_emplace(key);
  if (added) at->second = Make(type, key);
  if (times == 1 || at->second == nullptr) return at->second;
  CostMatrix& repeated = repeated_[{at->second, times}];
  if (repeated == nullptr) {
    std::vector<int64_t> entries = *at->second;
    for (int64_t& cost : entries) cost *= times;
    repeated = std::make_shared<const std::vector<int64_t>>(std::move(entries));
  }
  return repeated;
}

}  // namespace metadist
