// SPDX-License-Identifier: Apache-2.0
// Contiguous, block-cyclic and a+b cuts are found, not enumerated: a map that parses is one of
// them, and a map that does not parse has no ordered pieces.
#include "planner/rules/probe/coordinate_map.h"

#include <algorithm>

namespace metadist {
namespace {

constexpr Coordinate kAtomStride = Coordinate{1} << 32;

int AtomOf(Coordinate c) { return static_cast<int>(c / kAtomStride); }

// The map of `to` derived from its mapped neighbours; empty if they disagree or it depends on none.
CoordinateMap Receive(const Relation& relation,
                      const std::map<size_t, CoordinateMap>& maps,
                      size_t to) {
  const size_t num_inputs = relation.inputs.size();
  const bool to_input = relation.is_input(to);
  CoordinateMap got(static_cast<size_t>(relation.size(to)), kNowhere);
  bool any = false;
  for (const auto& [from, map] : maps) {
    if (relation.is_input(from) == to_input) continue;
    const size_t x = to_input ? to : from;
    const size_t y = (to_input ? from : to) - num_inputs;
    const std::vector<uint8_t>& depends = relation.depends[x][y];
    const size_t columns = static_cast<size_t>(relation.size(num_inputs + y));
    for (size_t i = 0; i < got.size(); ++i)
      for (size_t j = 0; j < map.size(); ++j) {
        if (map[j] == kNowhere) continue;
        if (depends[to_input ? i * columns + j : j * columns + i] == 0) continue;
        if (got[i] != kNowhere && got[i] != map[j]) return {};
        got[i] = map[j];
        any = true;
      }
  }
  return any ? got : CoordinateMap();
}

}  // namespace

Coordinate CoordinateOf(int atom, int64_t position) { return atom * kAtomStride + position; }

std::vector<CoordinateMap> SeedMaps(int64_t dim_size, int atom, int64_t atom_size) {
  if (dim_size % atom_size != 0) return {};
  const int64_t unit = dim_size / atom_size;
  std::vector<CoordinateMap> maps(unit > 1 ? 2 : 1);
  for (int64_t p = 0; p < dim_size; ++p) {
    maps[0].push_back(CoordinateOf(atom, p / unit));
    if (unit > 1) maps[1].push_back(CoordinateOf(atom, p % atom_size));
  }
  return maps;
}

bool TensorTaken(const Relation& relation,
                 const BlackBox& box,
                 const std::map<size_t, CoordinateMap>& maps,
                 size_t node) {
  const auto tensor = [&](size_t of) {
    return relation.is_input(of) ? box.slot(relation.inputs[of]).input : relation.out(of).output;
  };
  return std::ranges::any_of(maps, [&](const auto& entry) {
    return relation.is_input(entry.first) == relation.is_input(node) &&
           tensor(entry.first) == tensor(node);
  });
}

std::map<size_t, CoordinateMap> Carry(const Relation& relation,
                                      const BlackBox& box,
                                      std::map<size_t, CoordinateMap> maps) {
  for (bool again = true; again;) {
    again = false;
    for (size_t node = 0; node < relation.num_nodes(); ++node) {
      if (TensorTaken(relation, box, maps, node)) continue;
      CoordinateMap map = Receive(relation, maps, node);
      if (map.empty() || !ParseBlocks(map, relation.sizes)) continue;
      maps[node] = std::move(map);
      again = true;
    }
  }
  return maps;
}

std::optional<std::vector<Block>> ParseBlocks(CoordinateMap map, std::span<const int64_t> sizes) {
  const bool gaps = std::ranges::find(map, kNowhere) != map.end();
  if (gaps) {
    const auto first = std::ranges::find_if(map, [](Coordinate c) { return c != kNowhere; });
    if (first == map.end()) return std::nullopt;
    const int atom = AtomOf(*first);
    const std::vector<CoordinateMap> seeds =
        SeedMaps(static_cast<int64_t>(map.size()), atom, sizes[static_cast<size_t>(atom)]);
    const auto full = std::ranges::find_if(seeds, [&](const CoordinateMap& seed) {
      return std::ranges::equal(
          map, seed, [](Coordinate own, Coordinate c) { return own == kNowhere || own == c; });
    });
    if (full == seeds.end()) return std::nullopt;
    map = *full;
  }
  std::vector<Block> blocks;
  size_t at = 0;
  while (at < map.size()) {
    const int atom = AtomOf(map[at]);
    size_t unit = 0;
    while (at + unit < map.size() && map[at + unit] == CoordinateOf(atom, 0)) ++unit;
    const size_t length = unit * static_cast<size_t>(sizes[static_cast<size_t>(atom)]);
    if (unit == 0 || at + length > map.size()) return std::nullopt;
    for (size_t i = 0; i < length; ++i)
      if (map[at + i] != CoordinateOf(atom, static_cast<int64_t>(i / unit))) return std::nullopt;
    blocks.push_back({atom, static_cast<int64_t>(unit)});
    at += length;
  }
  return blocks;
}

}  // namespace metadist
