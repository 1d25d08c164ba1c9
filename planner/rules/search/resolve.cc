// SPDX-License-Identifier: Apache-2.0
// Coupled sizes that share a slot may be coincidences of arithmetic: [4,6] -> [6,4] also accepts
// dim 0 scaled with entry 1. For a real one, dependence shows which dims of inputs and outputs
// belong to the atom, so each is probed with all other sizes as in the sample. (Not if they share
// only integers of the call and each has dims of its own: such an integer is a product, as of a
// plane's height and width.) The remaining sets divide a shared slot among themselves: supersets
// first, then the larger base; each gets what the earlier ones left (groups, then the filters of a
// group).
#include "planner/rules/search/resolve.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>

namespace metadist {

bool Behaves(BlackBox& box, const Family& family, const std::vector<int64_t>& sizes) {
  std::vector<Shape> now;
  if (!box.Infer(family.ValuesAt(sizes), now)) return false;
  std::vector<Shape> expected = family.outputs;
  std::set<OutDim> free;
  for (size_t a = 0; a < sizes.size(); ++a) {
    const Atom& atom = family.atoms[a];
    for (const OutDim& o : atom.exact) {
      int64_t& size = o.In(expected);
      size = size / atom.base * sizes[a];
    }
    free.insert(atom.other.begin(), atom.other.end());
  }
  const auto changed = ChangedDims(expected, now);
  return changed && std::ranges::includes(free, *changed);
}

namespace {

// Sizes of atoms that share no slot: small, because their sizes multiply; after the third atom the
// least that can be divided, so that arrays of many dims stay small.
constexpr int64_t kSmall[] = {3, 5, 4};
constexpr int64_t kLeast = 2;

bool ProperSubset(const Atom& a, const Atom& b) {
  return a.slots.size() < b.slots.size() && std::ranges::includes(b.slots, a.slots);
}

// Whether dependence shows which dims of inputs and outputs belong to the atom.
bool Confirmed(const Atom& atom, const Family& family, CandidateSearch& search) {
  Family alone = family;
  alone.atoms = {atom};
  alone.surrogate = {atom.base};
  alone.distinct = {0};
  return search.HasIndexMap(alone, 0);
}

// Whether two atoms share a dim.
bool ShareDim(const BlackBox& box, const Atom& a, const Atom& b) {
  return std::ranges::any_of(a.slots, [&](int s) { return box.slot(s).is_dim && b.has(s); });
}

std::vector<Atom> DivideAtoms(const BlackBox& box,
                              const std::vector<Atom>& all,
                              const Family& family,
                              CandidateSearch& search) {
  const auto key = [&](const Atom& a) {
    const auto depth =
        std::ranges::count_if(all, [&](const Atom& b) { return ProperSubset(a, b); });
    return std::make_tuple(depth, -a.base, a.slots);
  };
  std::vector<Atom> order = all;
  std::ranges::sort(order, [&](const Atom& a, const Atom& b) { return key(a) < key(b); });
  std::map<int, int64_t> used;
  std::vector<Atom> atoms;
  for (const Atom& next : order) {
    Atom atom = next;
    for (const int s : atom.slots) {
      const int64_t taken = used.emplace(s, 1).first->second;
      atom.base = std::gcd(atom.base, family.base[static_cast<size_t>(s)] / taken);
    }
    if (atom.base < 2) continue;
    const bool clash = std::ranges::any_of(
        all, [&](const Atom& b) { return b.slots != atom.slots && ShareDim(box, atom, b); });
    if (clash && atom.slots.size() > 1 && !Confirmed(atom, family, search)) continue;
    for (const int s : atom.slots) used[s] *= atom.base;
    atoms.push_back(std::move(atom));
  }
  std::ranges::sort(atoms, [](const Atom& a, const Atom& b) { return a.slots < b.slots; });
  return atoms;
}

void ChooseSurrogates(BlackBox& box, Family& family) {
  const size_t count = family.atoms.size();
  for (const Atom& atom : family.atoms) family.surrogate.push_back(atom.base);
  family.distinct.assign(count, 0);
  std::set<int64_t> used;
  size_t alone = 0;
  for (size_t a = 0; a < count; ++a) {
    const Atom& atom = family.atoms[a];
    const bool summed = std::ranges::any_of(family.sums, [&](const auto& sum) {
      return std::ranges::any_of(sum.second, [&](int literal) { return atom.has(literal); });
    });
    if (!atom.other.empty() || summed) continue;
    // Atoms that share a slot are distinguished by their primes.
    const bool shared =
        std::ranges::any_of(atom.slots, [&](int s) { return family.AtomsOf(s).size() > 1; });
    std::vector<int64_t> choices(std::begin(kOddPrimes), std::end(kOddPrimes));
    if (!shared) {
      const bool multiplied = std::ranges::any_of(
          atom.slots, [&](int s) { return family.base[static_cast<size_t>(s)] != atom.base; });
      const int64_t small = alone < std::size(kSmall) ? kSmall[alone] : kLeast;
      choices.insert(choices.begin(), multiplied ? 3 : small);
      if (!multiplied) ++alone;
    }
    for (const int64_t p : choices) {
      if (shared && used.count(p) > 0) continue;
      std::vector<int64_t> sizes = family.surrogate;
      sizes[a] = p;
      if (!Behaves(box, family, sizes)) continue;
      if (shared) used.insert(p);
      family.surrogate = std::move(sizes);
      family.distinct[a] = 1;
      break;
    }
  }
}

// The largest integer of the call, at surrogate sizes, that is independent of dims.
int64_t LargestLiteral(const BlackBox& box, const Family& family) {
  const std::vector<int64_t> values = family.ValuesAt(family.surrogate);
  int64_t largest = 0;
  for (size_t s = 0; s < values.size(); ++s) {
    if (box.slots()[s].is_dim || values[s] > kSentinel || values[s] < -kSentinel) continue;
    bool followed = false;
    for (const int a : family.AtomsOf(static_cast<int>(s)))
      for (const int slot : family.atom(a).slots) followed = followed || box.slot(slot).is_dim;
    if (!followed) largest = std::max(largest, std::abs(values[s]));
  }
  return largest;
}

}  // namespace

Family Resolve(BlackBox& box, const CoupledSizes& coupled, CandidateSearch& search) {
  Family family;
  family.base = box.values();
  family.outputs = coupled.outputs();
  family.sums = coupled.sums();
  family.atoms = DivideAtoms(box, coupled.Atoms(), family, search);
  for (const CoupledSizes::Grown& grown : coupled.grown()) {
    if (grown.dim >= 0) {
      for (size_t a = 0; a < family.atoms.size(); ++a)
        if (family.atoms[a].has(grown.dim))
          family.grown[grown.literal] = {static_cast<int>(a), grown.unit};
      continue;
    }
    const int64_t size = grown.out.In(family.outputs);
    if (size < 2) continue;
    family.grown[grown.literal] = {static_cast<int>(family.atoms.size()), grown.unit};
    family.atoms.push_back({{}, size, {grown.out}, {}});
  }
  ChooseSurrogates(box, family);
  family.largest_literal = LargestLiteral(box, family);
  return family;
}

}  // namespace metadist
