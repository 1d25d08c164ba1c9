// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "planner/solvers/bounds/links.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// The cheapest choice that fits among those that equal `to` on a growing ball around a random node
// and `from` elsewhere. nullopt if none fits. `from` and `to` may exceed the limit, but must not
// take forbidden pairs. O(nodes x (edges + rows log times)).
std::optional<Choice> Splice(const Reduced& reduced,
                             const Jagged<Link>& links,
                             const Choice& from,
                             const Choice& to,
                             Random& random);

}  // namespace metadist
