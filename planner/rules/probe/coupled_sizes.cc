// SPDX-License-Identifier: Apache-2.0
// Finds which sizes of a call must be equal.
//
// The inner dims of a matrix product must change together, the dim of a reshape with one entry of
// its target, the entries of a list of split sizes with the dim they cut. Equal numbers need not
// have equal roles, so the numbers themselves are not used: slots are scaled, alone and together,
// and shape inference decides. The slots of an atom are a minimal set that inference accepts when
// scaled by 5, by 3 and by 7. With fewer scales more sets would be accepted by coincidence (32
// groups of 960 channels alone can be scaled by 5 and by 3), and adding 1 cannot find [30] ->
// [5,6].
//
// Sets are searched in order of cost: single slots, pairs, all slots of equal value shrunk one by
// one, sets of 3 to 5 that share a divisor (at most 150 of each size); for the remaining dims, all
// dims shrunk, then all multiples shrunk. With hundreds of slots, equal ones are tried together
// before pairs. Sums (the sizes of Split) are found by adding 1 and 3 instead. A set with a literal
// counts only if an output scales exactly with it and nothing else changes, otherwise an axis or a
// stride would be taken for a size; and only if the outputs do not scale because of its dims alone.
//
// If arithmetic accepts too much ([4,6] -> [6,4] also accepts dim 0 with entry 1), sets overlap;
// resolve.cc runs the kernel to find out which of them are real.
//
// Cost: O(slots^2) inferences, plus at most some hundreds for each slot that no pair explains.
#include "planner/rules/probe/coupled_sizes.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace metadist {
namespace {

constexpr int64_t kScales[] = {5, 3, 7};
constexpr int kMostCombinations = 150;
// With more slots, equal sizes are tried together before pairs.
constexpr size_t kManySlots = 64;
constexpr size_t kMostCoupled = 6;  // slots of a set whose subsets are tried
constexpr int64_t kMostUnit = int64_t{1} << 30;

CoupledSizes::Slots Sorted(CoupledSizes::Slots set) {
  std::ranges::sort(set);
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

// Of ascending elements.
template <typename T>
std::vector<T> Without(const std::vector<T>& set, const std::vector<T>& part) {
  std::vector<T> rest;
  std::ranges::set_difference(set, part, std::back_inserter(rest));
  return rest;
}

CoupledSizes::Slots Without(const CoupledSizes::Slots& set, int slot) {
  CoupledSizes::Slots rest = set;
  std::erase(rest, slot);
  return rest;
}

// Two dims of an output seldom have one size: a set that changes two is rather two sets at once.
bool OneDimEach(const std::vector<OutDim>& moved) {
  return std::ranges::adjacent_find(moved, [](const OutDim& a, const OutDim& b) {
           return a.output == b.output;
         }) == moved.end();
}

}  // namespace

std::optional<std::vector<OutDim>> CoupledSizes::ChangedAt(std::span<const int64_t> values,
                                                           std::vector<Shape>& outputs) {
  if (!box_.Infer(values, outputs)) return std::nullopt;
  return ChangedDims(outputs_, outputs);
}

std::optional<std::vector<OutDim>> CoupledSizes::ScaledBy(const Slots& set,
                                                          int64_t factor,
                                                          std::vector<Shape>& outputs) {
  std::vector<int64_t> values = box_.values();
  for (const int slot : set) values[static_cast<size_t>(slot)] *= factor;
  return ChangedAt(values, outputs);
}

bool CoupledSizes::Scales(const Slots& set) {
  std::vector<Shape> ignored;
  return std::ranges::all_of(
      kScales, [&](int64_t scale) { return ScaledBy(set, scale, ignored).has_value(); });
}

const CoupledSizes::Moved* CoupledSizes::Accepts(Slots set) {
  set = Sorted(std::move(set));
  auto found = seen_.find(set);
  if (found == seen_.end()) {
    std::optional<Moved> moved = Try(set);
    found = seen_.insert_or_assign(std::move(set), std::move(moved)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<CoupledSizes::Moved> CoupledSizes::Try(const Slots& set) {
  const bool has_literal =
      std::ranges::any_of(set, [&](int s) { return box_.slot(s).is_literal(); });
  std::optional<Moved> all;
  std::vector<Shape> now;
  for (const int64_t scale : kScales) {
    const auto changed = ScaledBy(set, scale, now);
    if (!changed) return std::nullopt;
    Moved moved;
    for (const OutDim& at : *changed)
      (at.In(now) == scale * at.In(outputs_) ? moved.exact : moved.other).push_back(at);
    if (has_literal && (!moved.other.empty() || moved.exact.empty() || OnlyLends(set, moved.exact)))
      return std::nullopt;
    if (!all) {
      all = std::move(moved);
      continue;
    }
    // A dim that scaled exactly with one scale only is not exact.
    std::vector<OutDim> exact;
    std::vector<OutDim> mixed;
    std::ranges::set_intersection(all->exact, moved.exact, std::back_inserter(exact));
    std::ranges::set_symmetric_difference(all->exact, moved.exact, std::back_inserter(mixed));
    std::set<OutDim> other(all->other.begin(), all->other.end());
    other.insert(moved.other.begin(), moved.other.end());
    other.insert(mixed.begin(), mixed.end());
    all = Moved{exact, {other.begin(), other.end()}};
  }
  return all;
}

// Whether every output that scales is explained by slots that scale without the rest of the set,
// and the operator accepts the rest scaled alone: the set combines them with unrelated literals.
bool CoupledSizes::OnlyLends(const Slots& set, const std::vector<OutDim>& exact) {
  if (set.size() < 2) return false;
  Slots alone;
  std::set<OutDim> lent;
  for (const int slot : set) {
    if (!box_.slot(slot).is_dim) continue;
    const Moved* moved = Accepts({slot});
    if (moved == nullptr) continue;
    alone.push_back(slot);
    lent.insert(moved->exact.begin(), moved->exact.end());
  }
  if (!alone.empty() && std::ranges::includes(lent, exact) && Scales(Without(set, alone)))
    return true;
  // The same for the known sets, for each and for all together.
  Slots left = set;
  std::set<OutDim> by_all;
  for (const Slots& known : sets_) {
    if (known.size() >= set.size() || !std::ranges::includes(set, known)) continue;
    const std::vector<OutDim>& own = moved(known).exact;
    if (std::ranges::includes(own, exact) && Scales(Without(set, known))) return true;
    left = Without(left, known);
    by_all.insert(own.begin(), own.end());
  }
  if (!left.empty() && left.size() < set.size() && std::ranges::includes(by_all, exact) &&
      Scales(left))
    return true;
  if (LendsFromPart(set, exact)) return true;
  std::vector<Shape> now;
  for (const int slot : alone) {
    const std::vector<OutDim> left = Without(exact, Accepts({slot})->exact);
    if (left.size() == exact.size()) continue;
    const auto changed = ScaledBy(Without(set, slot), kScales[0], now);
    const auto scales = [&](const OutDim& at) {
      return at.In(now) == kScales[0] * at.In(outputs_);
    };
    if (changed && std::ranges::includes(left, *changed) && std::ranges::all_of(left, scales))
      return true;
  }
  return false;
}

// The same for subsets that have not been tried: the groups and channels of a convolution combined
// with its dilation and padding, which change together without changing an output.
bool CoupledSizes::LendsFromPart(const Slots& set, const std::vector<OutDim>& exact) {
  if (set.size() < 4 || set.size() > kMostCoupled) return false;
  for (size_t chosen = 1; chosen + 1 < size_t{1} << set.size(); ++chosen) {
    Slots part, rest;
    for (size_t i = 0; i < set.size(); ++i) (chosen >> i & 1 ? part : rest).push_back(set[i]);
    if (part.size() < 2) continue;
    const bool literals =
        std::ranges::all_of(rest, [&](int slot) { return box_.slot(slot).is_literal(); });
    if (!literals || !Scales(rest)) continue;
    const Moved* moved = Accepts(part);
    if (moved != nullptr && std::ranges::includes(moved->exact, exact)) return true;
  }
  return false;
}

void CoupledSizes::Add(const Slots& set) {
  const Slots sorted = Sorted(set);
  if (std::ranges::find(sets_, sorted) == sets_.end()) sets_.push_back(sorted);
  covered_.insert(sorted.begin(), sorted.end());
}

// If hundreds of operands must have equal sizes, no pair of them is accepted, and trying all pairs
// would cost the cube of their number.
void CoupledSizes::FindEqual(const std::vector<int>& big) {
  if (big.size() <= kManySlots) return;
  std::map<int64_t, Slots> by_value;
  for (const int s : big) by_value[box_.value(s)].push_back(s);
  for (const int s : big) {
    if (covered_.count(s) > 0) continue;
    const Slots& equal = by_value[box_.value(s)];
    const std::optional<Slots> found = Shrink(s, Without(equal, s));
    if (found && Accepts(*found)->other.empty()) Add(*found);
  }
}

void CoupledSizes::FindPairs(const std::vector<int>& big) {
  for (const int s : big) {
    if (single_.count(s) > 0 || (big.size() > kManySlots && covered_.count(s) > 0)) continue;
    for (const int t : big) {
      if (t == s || (box_.slot(s).is_dim && single_.count(t) > 0)) continue;
      if (Accepts({s, t}) != nullptr) Add({s, t});
    }
  }
}

// A list with an entry for each dim of a tensor may state the output's sizes directly: then an
// entry and its dim scale separately, and what the operator does with a dim depends on how the two
// compare. If they are equal, they may be one size; resolve.cc runs the kernel to decide.
void CoupledSizes::FindStated() {
  for (const int l : single_) {
    const Slot& literal = box_.slot(l);
    if (literal.is_dim || literal.input < 0 || Accepts({l})->exact.empty()) continue;
    const int64_t entries = box_.constant(static_cast<size_t>(literal.input)).size();
    for (const int d : single_) {
      const Slot& dim = box_.slot(d);
      if (!dim.is_dim || dim.entry != literal.entry) continue;
      if (static_cast<int64_t>(box_.rank(static_cast<size_t>(dim.input))) != entries) continue;
      if (box_.value(d) != box_.value(l)) continue;
      const Moved& alone = *Accepts({d});
      if (!alone.exact.empty() || !alone.other.empty()) continue;
      Add({d, l});
      seen_[Sorted({d, l})] = *Accepts({l});
    }
  }
}

// Finds a dim that grows only together with another one that also grows alone: an inequality that
// holds with equality, as for an index no longer than its data.
void CoupledSizes::FindBounded(const std::vector<int>& big) {
  for (const int s : big) {
    if (!box_.slot(s).is_dim || covered_.count(s) > 0) continue;
    for (const int t : single_)
      if (box_.slot(t).is_dim && box_.value(t) == box_.value(s) && Accepts({s, t}) != nullptr) {
        Add({s, t});
        break;
      }
  }
}

// A minimal accepted subset of `slot` + others that contains `slot`.
std::optional<CoupledSizes::Slots> CoupledSizes::Shrink(int slot, const Slots& others) {
  Slots set = others;
  set.push_back(slot);
  set = Sorted(std::move(set));
  if (others.empty() || Accepts(set) == nullptr) return std::nullopt;
  for (const int other : others) {
    const Slots rest = Without(set, other);
    if (Accepts(rest) != nullptr) set = rest;
  }
  for (const Slots& known : sets_) {
    const Slots rest = Without(set, known);
    const bool keeps = std::ranges::find(rest, slot) != rest.end();
    if (keeps && rest.size() < set.size() && Accepts(rest) != nullptr) set = rest;
  }
  return set;
}

bool CoupledSizes::FindCombinations(int slot, const std::vector<int>& near, size_t size) {
  if (near.size() < size) return false;
  bool found = false;
  std::vector<size_t> pick(size);
  std::iota(pick.begin(), pick.end(), 0);
  for (int tried = 0; tried < kMostCombinations; ++tried) {
    Slots set{slot};
    for (const size_t i : pick) set.push_back(near[i]);
    const Moved* moved = Accepts(set);
    if (moved != nullptr && moved->other.empty()) {
      Add(set);
      found = true;
    }
    size_t at = size;
    while (at > 0 && pick[at - 1] == near.size() - size + at - 1) --at;
    if (at == 0) break;
    ++pick[at - 1];
    for (size_t i = at; i < size; ++i) pick[i] = pick[i - 1] + 1;
  }
  return found;
}

bool CoupledSizes::Additive(int slot, const std::vector<int>& big) {
  bool added = false;
  for (const int dim : big) {
    if (!box_.slot(dim).is_dim || Accepts({dim}) != nullptr) continue;
    bool good = true;
    for (const int64_t step : {1, 3}) {
      std::vector<int64_t> values = box_.values();
      values[static_cast<size_t>(slot)] += step;
      values[static_cast<size_t>(dim)] += step;
      std::vector<Shape> now;
      const auto changed = ChangedAt(values, now);
      good = good && changed && std::ranges::any_of(*changed, [&](const OutDim& at) {
               return at.In(now) == at.In(outputs_) + step;
             });
    }
    if (good) sums_[dim].push_back(slot);
    added = added || good;
  }
  return added;
}

// Finds sets of three to five slots that share a divisor, and sets of equal slots.
void CoupledSizes::FindLarger(int slot, const std::vector<int>& big) {
  if (!box_.slot(slot).is_dim && Additive(slot, big)) return;
  Slots equal, near;
  for (const int t : big) {
    if (t == slot) continue;
    if (box_.value(t) == box_.value(slot)) equal.push_back(t);
    if (std::gcd(box_.value(t), box_.value(slot)) > 1) near.push_back(t);
  }
  std::optional<Slots> found = Shrink(slot, equal);
  if (found && (found->size() <= 2 || Accepts(*found)->other.empty())) return Add(*found);
  for (const size_t size : {2, 3, 4})
    if (FindCombinations(slot, near, size)) return;
}

// For dims that no smaller set explains: shrinks the set of all dims, then of all multiples. Done
// last, because two remaining sizes together (the channels of groups, and a window that grows with
// its image) would be taken for one size and hide both.
void CoupledSizes::FindAmongMany(int slot, const std::vector<int>& big) {
  if (!box_.slot(slot).is_dim) return;
  Slots dims, multiples;
  for (const int t : big) {
    if (t == slot) continue;
    if (box_.value(t) % box_.value(slot) == 0) multiples.push_back(t);
    if (box_.slot(t).is_dim) dims.push_back(t);
  }
  std::optional<Slots> found = Shrink(slot, dims);
  if (found && Accepts(*found)->other.empty()) return Add(*found);
  found = Shrink(slot, multiples);
  if (found && Accepts(*found)->other.empty() && OneDimEach(Accepts(*found)->exact)) Add(*found);
}

// Unequal parts of a dim are independent sizes, whatever divisor they share. Equal parts are one
// size, which scaling finds.
void CoupledSizes::FindUnequalParts(const std::vector<int>& big) {
  for (const int s : big)
    if (!box_.slot(s).is_dim && covered_.count(s) == 0) Additive(s, big);
  std::erase_if(sums_, [&](const auto& sum) {
    const bool equal = std::ranges::all_of(sum.second, [&](int literal) {
      return box_.value(literal) == box_.value(sum.second.front());
    });
    return equal || !AddsUp(sum.first);
  });
  for (const auto& [dim, literals] : sums_) {
    covered_.insert(dim);
    covered_.insert(literals.begin(), literals.end());
  }
}

bool CoupledSizes::AddsUp(int dim) const {
  int64_t sum = 0;
  for (const int literal : sums_.at(dim)) sum += box_.value(literal);
  return sum == box_.value(dim);
}

// Dims that are the sum of several literals: each literal is an atom, the dim is not. A single
// literal that does not scale with its dim is not the size of a part but, for example, of a kernel.
void CoupledSizes::FinishSums() {
  std::erase_if(sums_,
                [&](const auto& sum) { return sum.second.size() < 2 || !AddsUp(sum.first); });
  for (const auto& [dim, literals] : sums_) {
    std::erase_if(sets_, [&, dim = dim, &literals = literals](const Slots& set) {
      return std::ranges::any_of(
          set, [&](int s) { return s == dim || std::ranges::find(literals, s) != literals.end(); });
    });
    for (const int literal : literals) {
      sets_.push_back({literal});
      seen_[{literal}] = Moved{};
    }
  }
}

// The output dim that grows by one when the literal grows by `unit`, if nothing else changes.
std::optional<OutDim> CoupledSizes::GrowsBy(int literal, int64_t unit) {
  std::optional<OutDim> grows;
  for (const int64_t step : {1, 3}) {
    std::vector<int64_t> values = box_.values();
    values[static_cast<size_t>(literal)] += unit * step;
    std::vector<Shape> now;
    const auto changed = ChangedAt(values, now);
    if (!changed || changed->size() != 1) return std::nullopt;
    const OutDim& moved = changed->front();
    if (moved.In(now) != moved.In(outputs_) + step || (grows && *grows != moved))
      return std::nullopt;
    grows = moved;
  }
  return grows;
}

// An output made from literals alone need not scale with any of them, such as a range from 3 to 12.
// Its length is then an atom that one of the literals grows with, by 1 or by the value of another
// literal.
void CoupledSizes::FindGrown() {
  if (box_.first_literal() > 0 || !sets_.empty()) return;
  const std::vector<int64_t>& values = box_.values();
  for (size_t l = 0; l < values.size(); ++l)
    for (size_t u = 0; u <= values.size(); ++u) {
      const int64_t unit = u == 0 ? 1 : values[u - 1];
      if (u == l + 1 || unit == 0 || std::abs(unit) > kMostUnit) continue;
      const std::optional<OutDim> out = GrowsBy(static_cast<int>(l), unit);
      if (!out) continue;
      grown_.push_back({static_cast<int>(l), unit, *out});
      return;
    }
}

// For dims on which literals depend: finds the outputs that change when both change together, in
// proportion or by the same amount.
void CoupledSizes::FindFollowing() {
  for (const auto& [literal, dim, times, step] : box_.following()) {
    std::vector<int64_t> values = box_.values();
    values[static_cast<size_t>(literal)] += step * std::max<int64_t>(times, 1);
    values[static_cast<size_t>(dim)] += step;
    std::vector<Shape> now;
    auto changed = ChangedAt(values, now);
    if (!changed || changed->empty()) continue;
    std::erase_if(sets_, [literal = literal, dim = dim](const Slots& set) {
      return std::binary_search(set.begin(), set.end(), literal) ||
             std::binary_search(set.begin(), set.end(), dim);
    });
    if (times > 0) {
      sets_.push_back({dim, literal});  // dims come first
      seen_[{dim, literal}] = Moved{std::move(*changed), {}};
      continue;
    }
    sets_.push_back({dim});
    grown_.push_back({literal, 1, changed->front(), dim});
    seen_[{dim}] = Moved{{}, std::move(*changed)};
  }
}

bool CoupledSizes::Run() {
  if (!box_.Infer(box_.values(), outputs_)) return false;
  std::vector<int> big;
  for (int s = 0; s < static_cast<int>(box_.slots().size()); ++s)
    if (box_.scalable(s)) big.push_back(s);
  for (const int s : big)
    if (Accepts({s}) != nullptr) {
      Add({s});
      single_.insert(s);
    }
  FindStated();
  FindEqual(big);
  FindPairs(big);
  FindBounded(big);
  FindUnequalParts(big);
  for (const int s : big)
    if (covered_.count(s) == 0) FindLarger(s, big);
  for (const int s : big)
    if (covered_.count(s) == 0) FindAmongMany(s, big);
  FinishSums();
  FindGrown();
  FindFollowing();
  return true;
}

std::vector<Atom> CoupledSizes::Atoms() const {
  std::vector<Slots> sets = sets_;
  std::ranges::sort(sets);
  std::vector<Atom> atoms;
  for (const Slots& set : sets) {
    const Moved& moved = *seen_.at(set);
    int64_t base = 0;
    for (const int s : set) base = std::gcd(base, box_.value(s));
    for (const OutDim& out : moved.exact) base = std::gcd(base, out.In(outputs_));
    atoms.push_back({set, base, moved.exact, moved.other});
  }
  return atoms;
}

}  // namespace metadist
