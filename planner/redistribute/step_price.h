// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "profiles/cluster.h"
#include "profiles/cost.h"
#include "profiles/priced.h"

namespace metadist {

// Seconds of single redistribution steps on a mesh of a cluster. Remembers what it has priced.
class StepPricer {
 public:
  StepPricer(const Mesh& mesh, const Cluster& cluster) : mesh_(mesh), cluster_(cluster) {}

  // bytes_before, bytes_after: what rank 0 holds of the array. Not for kExchange.
  Priced Price(CollectiveKind kind,
               const std::vector<int>& axes,
               int64_t bytes_before,
               int64_t bytes_after,
               ElementType element);
  // Any step on an array of `type` (global shape).
  Priced Price(const CollectiveStep& step, const TensorType& type);

 private:
  using Key = std::tuple<CollectiveKind, std::vector<int>, int64_t, ElementType>;

  const Group& GroupAlong(std::vector<int> axes);
  Priced PriceExchange(const CollectiveStep& step, const TensorType& type);

  const Mesh& mesh_;
  const Cluster& cluster_;
  std::map<std::vector<int>, Group> groups_;
  std::map<Key, Priced> prices_;
};

}  // namespace metadist
