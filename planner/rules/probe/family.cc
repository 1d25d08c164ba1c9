// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/family.h"

#include <algorithm>

namespace metadist {

std::optional<std::vector<OutDim>> ChangedDims(const std::vector<Shape>& from,
                                               const std::vector<Shape>& to) {
  if (from.size() != to.size()) return std::nullopt;
  std::vector<OutDim> changed;
  for (size_t o = 0; o < from.size(); ++o) {
    if (from[o].size() != to[o].size()) return std::nullopt;
    for (size_t d = 0; d < from[o].size(); ++d)
      if (from[o][d] != to[o][d]) changed.push_back({static_cast<int>(o), static_cast<int>(d)});
  }
  return changed;
}

bool Atom::has(int slot) const { return std::binary_search(slots.begin(), slots.end(), slot); }

std::vector<int64_t> Family::ValuesAt(std::span<const int64_t> sizes) const {
  std::vector<int64_t> values = base;
  for (size_t a = 0; a < atoms.size(); ++a)
    for (const int slot : atoms[a].slots) {
      int64_t& value = values[static_cast<size_t>(slot)];
      value = value / atoms[a].base * sizes[a];
    }
  for (const auto& [dim, literals] : sums) {
    int64_t& value = values[static_cast<size_t>(dim)];
    value = 0;
    for (const int literal : literals) value += values[static_cast<size_t>(literal)];
  }
  for (const auto& [slot, by] : grown) {
    const size_t a = static_cast<size_t>(by.atom);
    values[static_cast<size_t>(slot)] += by.unit * (sizes[a] - atoms[a].base);
  }
  return values;
}

std::vector<int> Family::AtomsOf(int slot) const {
  std::vector<int> found;
  for (size_t a = 0; a < atoms.size(); ++a)
    if (atoms[a].has(slot)) found.push_back(static_cast<int>(a));
  return found;
}

SymbolicSize Family::SizeOf(int slot) const {
  SymbolicSize size;
  if (const auto sum = sums.find(slot); sum != sums.end()) {
    for (const int literal : sum->second) {
      const SymbolicSize part = SizeOf(literal);
      size.terms.insert(size.terms.end(), part.terms.begin(), part.terms.end());
    }
    return size;
  }
  if (const auto by = grown.find(slot); by != grown.end()) {
    const int64_t of_atom = by->second.unit * atom(by->second.atom).base;
    size.terms.push_back({by->second.unit, {by->second.atom}});
    size.terms.push_back({base[static_cast<size_t>(slot)] - of_atom, {}});
    return size;
  }
  Product product{base[static_cast<size_t>(slot)], AtomsOf(slot)};
  for (const int a : product.atoms) product.constant /= atom(a).base;
  size.terms.push_back(std::move(product));
  return size;
}

}  // namespace metadist
