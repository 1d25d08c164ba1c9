// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "planner/rules/probe/dependence.h"

// A coordinate map gives each index of a dim its position along a factor, or none. Maps are seeded
// in one dim, propagated to others along measured dependences, and parsed into blocks.
namespace metadist {

// A position: an atom, and an index along it; kNowhere for an index without one.
using Coordinate = int64_t;
inline constexpr Coordinate kNowhere = -1;
using CoordinateMap = std::vector<Coordinate>;
Coordinate CoordinateOf(int atom, int64_t position);

// `unit` indices for each position of `atom`, in order.
struct Block {
  int atom = 0;
  int64_t unit = 1;
  auto operator<=>(const Block&) const = default;
};

// The contiguous map of a dim (p -> p / unit), then the cyclic one (p -> p mod atom size) if it
// differs. Empty if the atom's size does not divide the dim's.
std::vector<CoordinateMap> SeedMaps(int64_t dim_size, int atom, int64_t atom_size);

// Propagates the maps (by node of the relation) along its dependences until nothing changes: a dim
// takes the coordinates of everything it depends on if they agree and give ordered pieces (what few
// observed dependences suggest may not). At most one dim of a tensor has a map.
std::map<size_t, CoordinateMap> Carry(const Relation& relation,
                                      const BlackBox& box,
                                      std::map<size_t, CoordinateMap> maps);
// Whether some dim of the node's tensor has a map.
bool TensorTaken(const Relation& relation,
                 const BlackBox& box,
                 const std::map<size_t, CoordinateMap>& maps,
                 size_t node);

// The map as blocks that run through all positions in order; nullopt for reversed, rotated or mixed
// orders. Gaps are filled by the contiguous or the cyclic map, if one fits the rest.
std::optional<std::vector<Block>> ParseBlocks(CoordinateMap map, std::span<const int64_t> sizes);

}  // namespace metadist
