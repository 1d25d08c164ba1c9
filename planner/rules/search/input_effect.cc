// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/search/input_effect.h"

#include <algorithm>

#include "planner/rules/search/resolve.h"

namespace metadist {
namespace {

constexpr int64_t kLargestSpan = 64;
constexpr int64_t kMostTellingElements = 1 << 14;
constexpr int kEffectDraws = 2;

// Whether every input affects some output; true if that cannot be tested.
bool AllInputsMatter(BlackBox& box, Sampler& sampler, const std::vector<int64_t>& values) {
  std::vector<Tensor> inputs, before, after;
  if (!sampler.Draw(values, InputMode::kNormal, {}, inputs) || !box.Run(values, inputs, before))
    return true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!box.is_tensor(i)) continue;
    std::vector<Tensor> other = inputs;
    bool tells = false;
    for (int draw = 0; draw < kEffectDraws && !tells; ++draw) {
      if (!sampler.DrawOne(i, inputs[i].shape(), InputMode::kNormal, nullptr, other[i]) ||
          !box.Run(values, other, after))
        return true;
      for (size_t o = 0; o < before.size(); ++o) tells = tells || !Identical(before[o], after[o]);
    }
    if (!tells) return false;
  }
  return true;
}

// Whether an integer of the call may be larger than a small dim.
bool HasLargeLiteral(const Family& family) { return family.largest_literal >= 2; }

// A larger size of the atom: above the integers of the call, otherwise the next prime that no atom
// has. 0: there is none.
int64_t LargerSize(const Family& family, const std::vector<int64_t>& sizes, size_t atom) {
  const int64_t least = family.largest_literal + 3;
  if (HasLargeLiteral(family)) return least > sizes[atom] ? least : 0;
  for (const int64_t prime : kOddPrimes)
    if (prime > sizes[atom] && std::ranges::find(sizes, prime) == sizes.end()) return prime;
  return 0;
}

}  // namespace

void LetInputsMatter(BlackBox& box, uint64_t seed, Family& family) {
  if (family.largest_literal + 3 > kLargestSpan) return;
  Sampler sampler(box, seed);
  if (AllInputsMatter(box, sampler, family.ValuesAt(family.surrogate))) return;
  std::vector<int64_t> sizes = family.surrogate;
  for (size_t a = 0; a < sizes.size(); ++a) {
    const int64_t larger = LargerSize(family, sizes, a);
    if (family.distinct[a] == 0 || larger == 0) continue;
    std::vector<int64_t> next = sizes;
    next[a] = larger;
    if (!Behaves(box, family, next) ||
        box.InputElements(family.ValuesAt(next)) > kMostTellingElements)
      continue;
    const bool matter = AllInputsMatter(box, sampler, family.ValuesAt(next));
    // Several dims may have to exceed an integer of the call at once.
    if (matter || HasLargeLiteral(family)) sizes = std::move(next);
    if (!matter) continue;
    // Restore the sizes enlarged on the way that turn out not to matter.
    for (size_t b = 0; b < a; ++b) {
      next = sizes;
      next[b] = family.surrogate[b];
      if (AllInputsMatter(box, sampler, family.ValuesAt(next))) sizes = next;
    }
    family.surrogate = std::move(sizes);
    return;
  }
}

}  // namespace metadist
