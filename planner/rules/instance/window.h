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

// Groups of the factor where the call's outputs have these shapes; none if the outputs disagree or
// are not whole groups.
std::optional<int64_t> WindowGroups(const SymbolicFactor& factor, std::span<const Shape> outputs);

// The factor at real sizes of the atoms and shapes, with its cuts' halos; none where WindowGroups
// has none, or where an atom has not the size that the factor is for.
std::optional<Factor> WindowFactorAt(const SymbolicFactor& factor,
                                     std::span<const int64_t> sizes,
                                     std::span<const Shape> inputs,
                                     std::span<const Shape> outputs);

// The sharding of a dim cut so, on a mesh with a single axis; without the spare element.
DimSharding OnOneAxis(const Cut& cut);

// Indices that a rank has of a dim cut so, with or without the halo, in local order.
std::vector<int64_t> HeldOf(const Cut& cut, int64_t ranks, int64_t rank, bool halo);

// What a rank has in place of an integer of the whole call.
int64_t LocalValueOf(const LiteralCut& literal, int64_t value, int64_t ranks, int64_t rank);

// Whether `ranks` ranks can share the factor: no piece is empty, no halo too wide.
bool WindowsFit(const Factor& factor, int64_t ranks);

}  // namespace metadist
