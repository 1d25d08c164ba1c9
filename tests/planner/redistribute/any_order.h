// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// The least cost from one sharding to every other by any sequence of steps, without phases;
// implemented independently of the planners. For shardings over whole axes, in any order.
class AnyOrder {
 public:
  using Lists = std::vector<std::vector<int>>;  // axes of each dim, major to minor
  static Lists ListsOf(const Sharding& sharding);

  // gathered: price of an element received by a gather; all others cost 1.
  AnyOrder(const Mesh& mesh, Shape shape, int64_t gathered = 1)
      : mesh_(mesh), shape_(std::move(shape)), gathered_(gathered) {}

  // Received elements, times the number of ranks, from `source` to every sharding that can be
  // reached with at most `most` elements per rank after each step.
  std::map<Lists, int64_t> From(const Sharding& source,
                                int64_t most = std::numeric_limits<int64_t>::max()) const;

 private:
  Shape Local(const Lists& lists) const;
  std::vector<int> Unused(const Lists& lists) const;
  // Visits the placements with local shape `wanted`, starting from `lists`.
  void Assign(const Lists& lists,
              size_t dim,
              const Shape& wanted,
              const std::function<void(const Lists&)>& visit) const;

  const Mesh& mesh_;
  const Shape shape_;
  const int64_t gathered_;
};

}  // namespace metadist
