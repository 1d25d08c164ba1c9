// SPDX-License-Identifier: Apache-2.0
#include "planner/space/edge_costs.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "metair/ir/parallel.h"

namespace metadist {

int64_t Picoseconds(double seconds) { return std::llround(seconds * 1e12); }

size_t EdgeCosts::Hash::operator()(const Pair& key) const {
  uint64_t hash = static_cast<uint64_t>(key.first) << 32 | static_cast<uint32_t>(key.second);
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

EdgeCosts::OfType& EdgeCosts::Of(const TensorType& type) {
  const auto [at, added] = types_.emplace(std::pair(type.element, type.shape), types_.size());
  if (added) of_types_.push_back(std::make_unique<OfType>(OfType{type, {}, {}}));
  return *of_types_[at->second];
}

double EdgeCosts::SecondsBetween(OfType& of, const Pair& key, Redistributor& routes) const {
  if (key.first == key.second) return 0;
  const auto [at, added] = of.seconds.try_emplace(key, 0.0);
  if (added)
    at->second = routes.Seconds(of.type,
                                *shardings_[static_cast<size_t>(key.first)],
                                *shardings_[static_cast<size_t>(key.second)]);
  return at->second;
}

CostMatrix EdgeCosts::Make(OfType& of, const Pair& key, Redistributor& routes) const {
  const std::vector<int>& from = *source_[static_cast<size_t>(key.first)];
  const std::vector<std::vector<int>>& to = *target_[static_cast<size_t>(key.second)];
  std::vector<int64_t> entries;
  entries.reserve(from.size() * to.size());
  for (int source : from) {
    for (const std::vector<int>& wanted : to) {
      double seconds = 0;
      for (int target : wanted) seconds += SecondsBetween(of, {source, target}, routes);
      entries.push_back(Picoseconds(seconds));
    }
  }
  if (std::all_of(entries.begin(), entries.end(), [](int64_t cost) { return cost == 0; }))
    return nullptr;
  return std::make_shared<const std::vector<int64_t>>(std::move(entries));
}

void EdgeCosts::Price(const std::vector<Edge>& edges, Redistributor& routes, int threads) {
  std::vector<std::vector<Pair>> missing;  // by type
  for (const Edge& edge : edges) {
    OfType& of = Of(*edge.type);
    missing.resize(of_types_.size());
    const Pair key{edge.source, edge.target};
    const bool added = of.matrices.try_emplace(key).second;
    if (added) missing[types_.at({edge.type->element, edge.type->shape})].push_back(key);
  }
  const auto price = [&](size_t type, Redistributor& by) {
    OfType& of = *of_types_[type];
    for (const Pair& key : missing[type]) of.matrices.at(key) = Make(of, key, by);
  };
  if (threads == 1) {
    for (size_t type = 0; type < missing.size(); ++type) price(type, routes);
    return;
  }
  // Values of the type with the most entries first, so that no thread ends long after the others.
  std::vector<std::pair<size_t, size_t>> by_size;  // entries and type
  for (size_t type = 0; type < missing.size(); ++type) {
    size_t entries = 0;
    for (const auto& [from, to] : missing[type])
      entries +=
          source_[static_cast<size_t>(from)]->size() * target_[static_cast<size_t>(to)]->size();
    if (entries > 0) by_size.emplace_back(entries, type);
  }
  std::ranges::stable_sort(by_size, std::greater<>(), [](const auto& one) { return one.first; });
  std::vector<RouteEffort> efforts(by_size.size());
  ParallelFor(by_size.size(), threads, [&](size_t i) {
    Redistributor own = routes.Fresh();
    price(by_size[i].second, own);
    efforts[i] = own.effort();
  });
  for (const RouteEffort& effort : efforts) routes.Add(effort);
}

CostMatrix EdgeCosts::Between(const Edge& edge) {
  OfType& of = Of(*edge.type);
  const Pair key{edge.source, edge.target};
  const CostMatrix& once = of.matrices.at(key);
  if (edge.times == 1 || once == nullptr) return once;
  CostMatrix& repeated = repeated_[{once, edge.times}];
  if (repeated == nullptr) {
    std::vector<int64_t> entries = *once;
    for (int64_t& cost : entries) cost *= edge.times;
    repeated = std::make_shared<const std::vector<int64_t>>(std::move(entries));
  }
  return repeated;
}

EdgeCosts& EdgeCostsOfMeshes::Of(const Mesh& mesh, RouteAxes axes) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<EdgeCosts>& costs = by_mesh_[{MeshText(mesh), axes}];
  if (costs == nullptr) costs = std::make_unique<EdgeCosts>();
  return *costs;
}

}  // namespace metadist
