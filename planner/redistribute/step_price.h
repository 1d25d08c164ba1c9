// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/axis_list.h"
#include "planner/redistribute/inflow.h"
#include "profiles/cluster.h"
#include "profiles/cost.h"
#include "profiles/priced.h"

namespace metadist {

// Bytes of an array of `type` (global shape) as ranks hold it, on the rank with the largest piece.
int64_t LargestHeldBytes(const TensorType& type, const Sharding& sharding, const Mesh& mesh);

// Seconds of single redistribution steps on a mesh of a cluster. Caches its results; references
// stay valid as long as the object.
class StepPricer {
 public:
  // Keeps references to both.
  StepPricer(const Mesh& mesh, const Cluster& cluster);

  // bytes_before, bytes_after: bytes of the array on rank 0. Not for kExchange.
  const Priced& Price(CollectiveKind kind,
                      const AxisList& axes,
                      int64_t bytes_before,
                      int64_t bytes_after,
                      ElementType element);
  // Any step on an array of `type` (global shape).
  Priced Price(const CollectiveStep& step, const TensorType& type);
  // An exchange within the groups along `axes`; partial axes are ignored.
  Priced Exchange(const TensorType& type,
                  const Sharding& from,
                  const Sharding& to,
                  const std::vector<int>& axes);

  // The transfer from neighbours for the halos of step.to.
  Priced Halo(const CollectiveStep& step, const TensorType& type);

 private:
  // An operation, the axes of its groups (a bit each), and its bytes.
  struct Key {
    Collective op = Collective::kAllReduce;
    bool local = false;  // a copy in memory
    uint32_t axes = 0;
    ElementType element = ElementType::kF32;
    int64_t bytes = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };

  const Group& GroupAlong(uint32_t axes);
  const Priced& Remembered(const Key& key);

  const Mesh& mesh_;
  const Cluster& cluster_;
  ExchangeTraffic traffic_;
  std::map<uint32_t, Group> groups_;
  std::unordered_map<Key, Priced, Hash> prices_;
};

}  // namespace metadist
