// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "planner/rules/probe/coordinate_map.h"
#include "planner/rules/probe/dependence.h"

namespace metadist {

// A way to cut some dims together that measured dependence allows; execution decides. At most one
// dim of a tensor, at the relation's sizes.
struct Candidate {
  struct DimBlocks {
    int dim = 0;
    std::vector<Block> blocks = {};
    auto operator<=>(const DimBlocks&) const = default;
  };

  std::map<int, DimBlocks> inputs = {};
  std::map<int, DimBlocks> outputs = {};
  bool carried = false;  // derived from observed dependence alone, without a guess
  auto operator<=>(const Candidate&) const = default;
};

// Enumerates candidates for cutting the given atoms together.
class CandidateSearch {
 public:
  enum class Extent : uint8_t { kAll, kCarriedOnly };

  CandidateSearch(BlackBox& box, Prober& prober) : box_(box), prober_(prober) {}

  // Calls `visit` on each distinct candidate, likeliest first, until it returns true. Afterwards
  // relation() is what was measured for them.
  void ForEach(const Family& family,
               std::span<const int> atoms,
               const std::function<bool(const Candidate&)>& visit,
               Extent extent = Extent::kAll);
  const Relation& relation() const { return relation_; }

  // Whether dependence alone shows which dims of inputs and outputs belong to the atom.
  bool HasIndexMap(const Family& family, int atom);

 private:
  using Maps = std::map<size_t, CoordinateMap>;
  using Visit = std::function<bool(Maps, bool carried)>;

  std::vector<Maps> Seeds(const Family& family, std::span<const int> atoms) const;
  // Each returns true to stop.
  bool Extend(const Maps& seed, int atom, const Visit& visit);
  bool ExtendBySubsets(const Maps& maps,
                       int atom,
                       const std::vector<size_t>& free,
                       const Visit& visit);
  Maps PairByMixedDifference(Maps maps, int atom, const std::vector<size_t>& free);
  bool Meet(size_t x, size_t w) const;
  bool Contradicted(const Maps& maps) const;
  bool Parse(const Maps& maps, Candidate& candidate) const;

  BlackBox& box_;
  Prober& prober_;
  Relation relation_;
  std::set<Maps> extended_;  // maps derived from the seeds so far
};

}  // namespace metadist
