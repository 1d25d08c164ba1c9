// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// What a rank receives in an exchange.
struct Inflow {
  int peers = 0;         // ranks that send something
  int64_t elements = 0;  // from all peers together
  bool operator==(const Inflow&) const = default;
};

// The traffic of point-to-point exchanges on one mesh. Caches its results.
class ExchangeTraffic {
 public:
  // ranks: number of ranks to examine, starting at the first.
  ExchangeTraffic(const Mesh& mesh, int64_t ranks) : mesh_(mesh), ranks_(ranks) {}

  // The most peers and the most elements of any of these ranks, when an array of that global shape
  // is redistributed (partial axes are ignored) within the groups along `axes`. A rank fetches from
  // the others of its group in order until it has everything it lacks.
  Inflow Worst(const Shape& shape,
               const Sharding& from,
               const Sharding& to,
               const std::vector<int>& axes);

 private:
  struct Words {
    size_t operator()(const std::vector<int64_t>& words) const;
  };

  const Mesh& mesh_;
  const int64_t ranks_;
  std::unordered_map<std::vector<int64_t>, Inflow, Words> known_;
};

}  // namespace metadist
