// SPDX-License-Identifier: Apache-2.0
// Ties that share a slot may be accidents of arithmetic: [4,6] -> [6,4] also accepts dim 0 scaled
// with entry 1. A real one shows, alone, how the atom runs through inputs and outputs, so each is
// probed with all other sizes as in the sample. The survivors divide a shared slot among
// themselves: supersets first, then the larger; each gets what the earlier ones left (group, then
// the filters of a group). Source: shardcombine.md 4.3.
#include "planner/rules/resolve.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>

namespace metadist {
namespace {

constexpr int64_t kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
// Integers beyond this stand for infinity.
constexpr int64_t kSentinel = int64_t{1} << 30;

bool Overlap(const Atom& a, const Atom& b) {
  return std::any_of(a.slots.begin(), a.slots.end(), [&](int s) { return b.has(s); });
}

bool ProperSubset(const Atom& a, const Atom& b) {
  return a.slots.size() < b.slots.size() &&
         std::includes(b.slots.begin(), b.slots.end(), a.slots.begin(), a.slots.end());
}

// Whether the kernel shows how an atom that shares slots runs through inputs and outputs.
bool Confirmed(const Atom& atom, const Family& family, CandidateSearch& search) {
  Family alone = family;
  alone.atoms = {atom};
  alone.surrogate = {atom.base};
  alone.distinct = {0};
  return search.HasIndexMap(alone, 0);
}

std::vector<Atom> Divide(const std::vector<Atom>& all,
                         const Family& family,
                         CandidateSearch& search) {
  const auto key = [&](const Atom& a) {
    const auto depth =
        std::count_if(all.begin(), all.end(), [&](const Atom& b) { return ProperSubset(a, b); });
    return std::make_tuple(depth, -a.base, a.slots);
  };
  std::vector<Atom> order = all;
  std::sort(
      order.begin(), order.end(), [&](const Atom& a, const Atom& b) { return key(a) < key(b); });
  std::map<int, int64_t> used;
  std::vector<Atom> atoms;
  for (const Atom& next : order) {
    Atom atom = next;
    for (const int s : atom.slots) {
      const int64_t taken = used.emplace(s, 1).first->second;
      atom.base = std::gcd(atom.base, family.base[static_cast<size_t>(s)] / taken);
    }
    if (atom.base < 2) continue;
    const bool clash = std::any_of(all.begin(), all.end(), [&](const Atom& b) {
      return b.slots != atom.slots && Overlap(atom, b);
    });
    if (clash && atom.slots.size() > 1 && !Confirmed(atom, family, search)) continue;
    for (const int s : atom.slots) used[s] *= atom.base;
    atoms.push_back(std::move(atom));
  }
  std::sort(
      atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) { return a.slots < b.slots; });
  return atoms;
}

// Whether the sizes are legal and change no output that should stay.
bool Behaves(BlackBox& box, const Family& family, size_t atom, int64_t size) {
  std::vector<int64_t> sizes;
  for (const Atom& a : family.atoms) sizes.push_back(a.base);
  sizes[atom] = size;
  std::vector<Shape> now;
  if (!box.Infer(family.ValuesAt(sizes), now)) return false;
  if (now.size() != family.outputs.size()) return false;
  const std::vector<OutDim>& exact = family.atoms[atom].exact;
  for (size_t o = 0; o < now.size(); ++o) {
    if (now[o].size() != family.outputs[o].size()) return false;
    for (size_t e = 0; e < now[o].size(); ++e) {
      const OutDim at{static_cast<int>(o), static_cast<int>(e)};
      if (!std::binary_search(exact.begin(), exact.end(), at) && now[o][e] != family.outputs[o][e])
        return false;
    }
  }
  return true;
}

void ChooseSurrogates(BlackBox& box, Family& family) {
  const size_t count = family.atoms.size();
  family.surrogate.resize(count);
  family.distinct.assign(count, 0);
  std::set<int64_t> used;
  for (size_t a = 0; a < count; ++a) {
    const Atom& atom = family.atoms[a];
    family.surrogate[a] = atom.base;
    const bool summed = std::any_of(family.sums.begin(), family.sums.end(), [&](const auto& sum) {
      return std::any_of(
          sum.second.begin(), sum.second.end(), [&](int literal) { return atom.has(literal); });
    });
    if (!atom.other.empty() || summed) continue;
    // Where an atom has company in a slot, primes must not be taken for the usual constants.
    const bool shared = std::any_of(atom.slots.begin(), atom.slots.end(), [&](int s) {
      return family.base[static_cast<size_t>(s)] != atom.base;
    });
    for (const int64_t p : kPrimes) {
      if (used.count(p) > 0 || (shared && p < 5)) continue;
      if (!Behaves(box, family, a, p)) continue;
      used.insert(p);
      family.surrogate[a] = p;
      family.distinct[a] = 1;
      break;
    }
  }
  std::vector<Shape> outputs;
  if (box.Infer(family.ValuesAt(family.surrogate), outputs)) return;
  for (size_t a = 0; a < count; ++a) family.surrogate[a] = family.atoms[a].base;
  family.distinct.assign(count, 0);
}

}  // namespace

Family Resolve(BlackBox& box, const Tie& tie, CandidateSearch& search) {
  Family family;
  family.base = box.values();
  family.outputs = tie.outputs();
  family.sums = tie.sums();
  family.atoms = Divide(tie.Atoms(), family, search);
  ChooseSurrogates(box, family);
  for (size_t s = 0; s < family.base.size(); ++s) {
    const int64_t value = family.base[s];
    if (box.slots()[s].is_dim || value > kSentinel || value < -kSentinel) continue;
    if (family.AtomsOf(static_cast<int>(s)).empty())
      family.largest_literal = std::max(family.largest_literal, std::abs(value));
  }
  return family;
}

}  // namespace metadist
