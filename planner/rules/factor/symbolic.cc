// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/factor/symbolic.h"

#include <algorithm>
#include <map>

namespace metadist {

int64_t Product::At(std::span<const int64_t> sizes) const {
  uint64_t value = static_cast<uint64_t>(constant);
  for (const int atom : atoms) value *= static_cast<uint64_t>(sizes[static_cast<size_t>(atom)]);
  return static_cast<int64_t>(value);
}

bool Product::Has(int atom) const { return std::ranges::find(atoms, atom) != atoms.end(); }

int64_t SymbolicSize::At(std::span<const int64_t> sizes) const {
  int64_t value = 0;
  for (const Product& term : terms) value += term.At(sizes);
  return value;
}

bool SymbolicSize::Has(int atom) const {
  return std::ranges::any_of(terms, [&](const Product& term) { return term.Has(atom); });
}

int64_t SymbolicWindow::Width::At(std::span<const int64_t> sizes) const {
  int64_t width = constant;
  for (const auto& [atom, slope] : slopes) width += slope * sizes[static_cast<size_t>(atom)];
  return width;
}

SymbolicWindow::Width SymbolicWindow::Width::Plus(const Width& other, int64_t times) const {
  std::map<int, int64_t> sum(slopes.begin(), slopes.end());
  for (const auto& [atom, slope] : other.slopes) sum[atom] += times * slope;
  Width out{constant + times * other.constant, {}};
  for (const auto& [atom, slope] : sum)
    if (slope != 0) out.slopes.emplace_back(atom, slope);
  return out;
}

}  // namespace metadist
