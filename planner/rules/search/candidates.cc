// SPDX-License-Identifier: Apache-2.0
// Finds dims that may be cut together.
//
// A seed dim is labelled with positions along the factor, and the labels are propagated along
// dependences. Dims that this does not reach share no output index with the seed: the partner dims
// of a contraction. They are paired by the mixed difference, which is nonzero only if two indices
// are multiplied. If nonlinearity hides that, all remaining dims and then subsets of them are tried
// (at most 64). The mixed difference only orders the search. Every candidate is run except those
// that an observed dependence refutes: an index of a cut output that depends on an index of another
// piece.
//
// Cost: O(sum of dim sizes) kernel runs for dependence, 6 for a mixed difference.
#include "planner/rules/search/candidates.h"

#include <algorithm>

namespace metadist {
namespace {

constexpr int kMostSubsets = 64;
constexpr size_t kMostFree = 8;

// Atom sizes while probing: even ones distinguish contiguous from cyclic at little cost.
constexpr int64_t kProbeSizes[] = {6, 4, 8, 10, 5, 9, 7};

}  // namespace

std::vector<CandidateSearch::Maps> CandidateSearch::Seeds(const Family& family,
                                                          std::span<const int> atoms) const {
  std::vector<Maps> seeds;
  const size_t num_inputs = relation_.inputs.size();
  const auto size_of = [&](int atom) { return relation_.sizes[static_cast<size_t>(atom)]; };
  if (atoms.size() == 1) {
    for (size_t i = 0; i < relation_.num_nodes(); ++i) {
      const size_t node = (i + num_inputs) % relation_.num_nodes();  // outputs first
      for (CoordinateMap& map : SeedMaps(relation_.size(node), atoms[0], size_of(atoms[0])))
        seeds.push_back({{node, std::move(map)}});
    }
    return seeds;
  }
  // Several atoms: each is seeded in the dims that it does not share.
  Maps seed;
  for (const int atom : atoms) {
    std::vector<size_t> own;
    for (size_t x = 0; x < num_inputs; ++x)
      if (family.atom(atom).has(relation_.inputs[x])) own.push_back(x);
    if (own.empty())
      for (size_t node = num_inputs; node < relation_.num_nodes(); ++node)
        if (relation_.size(node) == size_of(atom)) own.push_back(node);
    for (const size_t node : own) {
      std::vector<CoordinateMap> maps = SeedMaps(relation_.size(node), atom, size_of(atom));
      if (maps.empty()) return {};
      seed[node] = std::move(maps.front());
    }
  }
  if (!seed.empty()) seeds.push_back(std::move(seed));
  return seeds;
}

// Whether some output was observed to depend on both input dims.
bool CandidateSearch::Meet(size_t x, size_t w) const {
  return std::ranges::any_of(relation_.touched[x],
                             [&](int output) { return relation_.touched[w].count(output) > 0; });
}

CandidateSearch::Maps CandidateSearch::PairByMixedDifference(Maps maps,
                                                             int atom,
                                                             const std::vector<size_t>& free) {
  const int64_t size = relation_.sizes[static_cast<size_t>(atom)];
  std::vector<size_t> known;
  for (const auto& [node, map] : maps)
    if (relation_.is_input(node)) known.push_back(node);
  for (const size_t x : known) {
    std::vector<int64_t> focus;
    for (size_t p = 0; p < maps[x].size(); ++p)
      if (maps[x][p] == CoordinateOf(atom, 1)) focus.push_back(static_cast<int64_t>(p));
    if (focus.empty()) continue;
    for (const size_t w : free) {
      if (TensorTaken(relation_, box_, maps, w) || !Meet(x, w)) continue;
      std::vector<CoordinateMap> choices = SeedMaps(relation_.size(w), atom, size);
      std::vector<std::vector<int64_t>> groups;  // by choice: partners of the focus, then all
                                                 // others
      for (const CoordinateMap& map : choices)
        for (const bool partner : {true, false}) {
          groups.emplace_back();
          for (size_t i = 0; i < map.size(); ++i)
            if ((map[i] == CoordinateOf(atom, 1)) == partner)
              groups.back().push_back(static_cast<int64_t>(i));
        }
      const std::vector<uint8_t> hit = prober_.MixedDifference(relation_, x, focus, w, groups);
      for (size_t c = 0; c < choices.size() && !hit.empty(); ++c)
        if (hit[2 * c] != 0 && hit[2 * c + 1] == 0) {
          maps[w] = std::move(choices[c]);
          break;
        }
    }
  }
  return maps;
}

bool CandidateSearch::ExtendBySubsets(const Maps& maps,
                                      int atom,
                                      const std::vector<size_t>& free,
                                      const Visit& visit) {
  const int64_t size = relation_.sizes[static_cast<size_t>(atom)];
  std::vector<std::vector<CoordinateMap>> choices;
  for (const size_t node : free) choices.push_back(SeedMaps(relation_.size(node), atom, size));
  // Per free dim: 0 = not cut, k = its k-th map. Larger subsets first.
  int tried = 0;
  for (size_t want = free.size(); want > 0; --want) {
    std::vector<size_t> pick(free.size(), 0);
    for (;;) {
      size_t at = 0;
      while (at < pick.size() && ++pick[at] > choices[at].size()) pick[at++] = 0;
      if (at == pick.size()) break;
      if (static_cast<size_t>(std::ranges::count(pick, size_t{0})) != free.size() - want) continue;
      Maps more = maps;
      bool legal = true;
      for (size_t i = 0; i < free.size() && legal; ++i) {
        if (pick[i] == 0) continue;
        legal = !TensorTaken(relation_, box_, more, free[i]);
        more[free[i]] = choices[i][pick[i] - 1];
      }
      if (!legal) continue;
      if (tried++ == kMostSubsets) return false;
      if (visit(std::move(more), /*carried=*/false)) return true;
    }
  }
  return false;
}

// Whether some index of a cut output was observed to depend on an index of another piece.
bool CandidateSearch::Contradicted(const Maps& maps) const {
  for (const auto& [x, from] : maps) {
    if (!relation_.is_input(x)) continue;
    for (const auto& [y, to] : maps) {
      if (relation_.is_input(y)) continue;
      const std::vector<uint8_t>& depends = relation_.depends[x][y - relation_.inputs.size()];
      for (size_t i = 0; i < from.size(); ++i)
        for (size_t j = 0; j < to.size(); ++j)
          if (depends[i * to.size() + j] != 0 && from[i] != kNowhere && to[j] != kNowhere &&
              from[i] != to[j])
            return true;
    }
  }
  return false;
}

bool CandidateSearch::Extend(const Maps& seed, int atom, const Visit& visit) {
  const Maps maps = Carry(relation_, box_, seed);
  if (!extended_.insert(maps).second) return false;  // an earlier seed gave the same maps
  if (visit(maps, /*carried=*/true)) return true;
  if (atom < 0) return false;
  const int64_t size = relation_.sizes[static_cast<size_t>(atom)];
  const bool has_output =
      std::ranges::any_of(maps, [&](const auto& m) { return !relation_.is_input(m.first); });
  if (has_output) {
    Maps more = maps;
    for (size_t node = relation_.inputs.size(); node < relation_.num_nodes(); ++node) {
      if (TensorTaken(relation_, box_, maps, node)) continue;
      std::vector<CoordinateMap> contiguous = SeedMaps(relation_.size(node), atom, size);
      if (!contiguous.empty()) more[node] = std::move(contiguous.front());
    }
    if (more.size() > maps.size() && visit(Carry(relation_, box_, more), /*carried=*/false))
      return true;
  }
  std::vector<size_t> free;
  for (size_t x = 0; x < relation_.inputs.size(); ++x)
    if (!TensorTaken(relation_, box_, maps, x) && relation_.size(x) % size == 0 &&
        free.size() < kMostFree)
      free.push_back(x);
  if (free.empty()) return false;
  const Maps paired = PairByMixedDifference(maps, atom, free);
  if (paired.size() > maps.size() && visit(Carry(relation_, box_, paired), /*carried=*/false))
    return true;
  return ExtendBySubsets(maps, atom, free, visit);
}

bool CandidateSearch::Parse(const Maps& maps, Candidate& candidate) const {
  for (const auto& [node, map] : maps) {
    std::optional<std::vector<Block>> blocks = ParseBlocks(map, relation_.sizes);
    if (!blocks || blocks->empty()) return false;  // empty: a dim of size 0
    if (relation_.is_input(node)) {
      const Slot& slot = box_.slot(relation_.inputs[node]);
      candidate.inputs[slot.input] = {slot.entry, std::move(*blocks)};
    } else {
      candidate.outputs[relation_.out(node).output] = {relation_.out(node).dim, std::move(*blocks)};
    }
  }
  return true;
}

void CandidateSearch::ForEach(const Family& family,
                              std::span<const int> atoms,
                              const std::function<bool(const Candidate&)>& visit,
                              Extent extent) {
  std::vector<int64_t> sizes = family.surrogate;
  for (size_t j = 0; j < atoms.size(); ++j)
    sizes[static_cast<size_t>(atoms[j])] = kProbeSizes[j % std::size(kProbeSizes)];
  if (!prober_.FindDims(family, atoms, std::move(sizes), relation_)) return;
  if (!prober_.Measure(relation_)) return;
  extended_.clear();
  std::set<Candidate> seen;
  for (const Maps& seed : Seeds(family, atoms)) {
    const auto parse_and_visit = [&](const Maps& maps, bool carried) {
      Candidate candidate;
      if (!carried && Contradicted(maps)) return false;
      if (!Parse(maps, candidate)) return false;
      if (!seen.insert(candidate).second) return false;
      candidate.carried = carried;
      return visit(candidate);
    };
    const bool guess = atoms.size() == 1 && extent == Extent::kAll;
    if (Extend(seed, guess ? atoms[0] : -1, parse_and_visit)) return;
  }
}

bool CandidateSearch::HasIndexMap(const Family& family, int atom) {
  bool found = false;
  const int atoms[] = {atom};
  const auto visit = [&](const Candidate& candidate) {
    found = (!candidate.outputs.empty() || relation_.out_dims.empty()) &&
            (!candidate.inputs.empty() || relation_.inputs.empty());
    return found;
  };
  ForEach(family, atoms, visit, Extent::kCarriedOnly);
  return found;
}

}  // namespace metadist
