// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "metair/ops/op_table.h"
#include "planner/rules/black_box.h"
#include "planner/rules/discover.h"
#include "planner/rules/inner_calls.h"

namespace metadist {

// The rule of a node of a decomposition, at its own sizes; for whoever plans by one.
using InnerRules = std::function<const Rule&(const Graph&, const Node&)>;

// Adds to `found`, which was discovered on box.values(), the factors that divide the operator's
// decomposition and not the operator, and tells of every plain factor how it runs through the
// decomposition. Nothing for operators without one. Depends on what Discover depends on.
void FindComposites(
    BlackBox& box, const OpTable& ops, const InnerFound& inner, uint64_t seed, Discovered& found);

}  // namespace metadist
