// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/solvers/dual.h"
#include "planner/solvers/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Nodes of a random ball of the graph, at most kRegionNodes; all nodes if there are no more.
inline constexpr size_t kRegionNodes = 300;
std::vector<int> RandomRegion(const std::vector<std::vector<Link>>& links, Random& random);

// Minimises costs plus penalties over the nodes of `region`, all others as in `choice`: exactly,
// but for nodes of high degree that keep their strategy where tables would get too large.
// tables: edge entries in doubles. Returns the table entries touched.
int64_t BlockMove(const Reduced& reduced,
                  const Dual& tables,
                  const std::vector<std::vector<double>>& penalties,
                  const std::vector<int>& region,
                  Random& random,
                  Choice& choice);

}  // namespace metadist
