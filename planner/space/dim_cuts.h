// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metair/spmd/sharding.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// A cut of one dim, and the mesh axes that divide its groups, major to minor.
struct AxesOnCut {
  const Cut* cut = nullptr;
  std::vector<int> axes;
};

// The sharding of a dim of `size` that several factors cut at once; nullopt if their cuts do not
// nest. A cut of one part occupies the strides [unit, unit * size), and these must not overlap; a
// cut of several parts must be the only one.
std::optional<DimSharding> ShardingOfCuts(int64_t size, std::vector<AxesOnCut> cuts);

}  // namespace metadist
