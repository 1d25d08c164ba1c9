// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// What a rank of an exchange receives from others.
struct Inflow {
  int peers = 0;         // that send something
  int64_t elements = 0;  // from all of them together
  bool operator==(const Inflow&) const = default;
};

// The traffic of point-to-point exchanges on one mesh. Remembers what it has counted.
class ExchangeTraffic {
 public:
  // ranks: how many of the mesh's, from the first on, are looked at.
  ExchangeTraffic(const Mesh& mesh, int64_t ranks) : mesh_(mesh), ranks_(ranks) {}

  // The most peers and the most elements of any of these ranks, when an array of that global shape
  // goes from one sharding to another (partial axes play no part) within the groups along `axes`.
  // A rank asks the others of its group in their order, until it has all that it lacks.
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
