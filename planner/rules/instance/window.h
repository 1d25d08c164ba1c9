// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metair/ir/shape.h"
#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic_rule.h"

// Arithmetic of factors whose cuts have windows.
namespace metadist {

bool HasWindows(const SymbolicFactor& factor);

// Number of groups of the factor when the call's outputs have these shapes; nullopt if the outputs
// disagree.
std::optional<int64_t> WindowGroups(const SymbolicFactor& factor, std::span<const Shape> outputs);

// The factor at these atom sizes and shapes, with the halos of its cuts; nullopt if WindowGroups is
// nullopt or below 1, or if an atom does not have the size to which the factor is restricted.
std::optional<Factor> WindowFactorAt(const SymbolicFactor& factor,
                                     std::span<const int64_t> sizes,
                                     std::span<const Shape> inputs,
                                     std::span<const Shape> outputs);

// The sharding of a dim with this cut on a mesh with one axis, without the spare element.
DimSharding OnOneAxis(const Cut& cut);

// Indices of the dim that a rank holds, with or without the halo, in local order.
std::vector<int64_t> HeldOf(const Cut& cut, int64_t ranks, int64_t rank, bool halo);

// A rank's local value of an integer of the whole call.
int64_t LocalValueOf(const LiteralCut& literal, int64_t value, int64_t ranks, int64_t rank);

// Whether `ranks` ranks can share the factor: no piece is empty and no halo too wide.
bool WindowsFit(const Factor& factor, int64_t ranks);

}  // namespace metadist
