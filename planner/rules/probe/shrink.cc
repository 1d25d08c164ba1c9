// SPDX-License-Identifier: Apache-2.0
// Finds a small call of the same form.
//
// Kernels are never run at a model's own sizes: the call is shrunk first, by shape inference alone.
// Each set of coupled slots has a common divisor g; its values v become v / g * p with the smallest
// unused prime p for which inference accepts the call and exactly the expected outputs change. The
// difficulty are sets that arithmetic couples by coincidence ([12,768] -> [12,12,64]): only running
// the kernel shows which are real. Sets of equal numbers are assumed first, then those with the
// larger divisor. Since a set is shrunk at the values left by earlier ones, a coincidence seldom
// has a divisor left. The caller checks the assumption and takes another order if it was wrong.
//
// Sets whose outputs change in another way (windows, concatenations) must keep their offset: a size
// is taken at which the output shrinks by as much as the input, or otherwise one of the same
// residue modulo 12, which keeps the phase of every stride up to 4, or modulo an integer of the
// call with which the output grows evenly. Sizes with a common divisor with an integer of the call
// come last: a size of 4 and a dilation of 2 could be taken for one size. A small size that would
// get such a divisor is not changed. If distinct primes make the call too large (7 dims), sets that
// share no slots reuse a few primes.
#include "planner/rules/probe/shrink.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>

namespace metadist {
namespace {

constexpr int64_t kPrimes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,   43,   47,
                               53, 59, 61, 67, 71, 73, 79, 83, 89, 127, 257, 521, 1031, 2053, 4099};
constexpr int64_t kMostSampleElements = 1 << 20;
// Numbers of primes that sets without common slots reuse, tried until the call is small.
constexpr size_t kFewPrimes[] = {3, 2};
// Sizes below this are searched for one without a common divisor with the call's integers, even if
// the original size has one.
constexpr int64_t kMostApart = 24;
// Sizes up to this are kept rather than changed to one with a new common divisor.
constexpr int64_t kLargestKept = 24;

struct Shrinker {
  BlackBox& box;
  const CoupledSizes& coupled;
  std::vector<int64_t> values;
  std::vector<Shape> outputs;
  // The part of each value and output size that no set has taken yet.
  std::vector<int64_t> left = values;
  std::vector<Shape> outputs_left = outputs;
  // Sets that share slots take distinct primes; so do, separately, sets that share none.
  std::set<int64_t> used_shared = {};
  std::set<int64_t> used_alone = {};
  size_t few = 0;  // number of primes that sets without common slots reuse; 0: always new ones

  std::set<int64_t>& used(const CoupledSizes::Slots& set) {
    for (const CoupledSizes::Slots& other : coupled.sets())
      if (other != set && std::ranges::find_first_of(other, set) != other.end()) return used_shared;
    return used_alone;
  }

  int64_t at(int slot) const { return values[static_cast<size_t>(slot)]; }

  int64_t Divisor(const CoupledSizes::Slots& set) {
    int64_t g = 0;
    for (const int s : set) g = std::gcd(g, left[static_cast<size_t>(s)]);
    for (const OutDim& o : coupled.moved(set).exact) g = std::gcd(g, o.In(outputs_left));
    return g;
  }

  bool AllEqual(const CoupledSizes::Slots& set) const {
    return std::ranges::all_of(set, [&](int s) {
      return left[static_cast<size_t>(s)] == left[static_cast<size_t>(set.front())];
    });
  }

  // Whether `b` is a subset of `a` plus integers of the call.
  bool AddsLiterals(const CoupledSizes::Slots& a, const CoupledSizes::Slots& b) const {
    return std::ranges::all_of(b, [&](int s) {
      return box.slot(s).is_literal() || std::binary_search(a.begin(), a.end(), s);
    });
  }

  // Takes the values if the outputs are as expected.
  template <typename Expected>
  bool Adopt(std::vector<int64_t> next, Expected expected) {
    std::vector<Shape> now;
    if (!box.Infer(next, now) || now.size() != outputs.size()) return false;
    for (size_t o = 0; o < now.size(); ++o) {
      if (now[o].size() != outputs[o].size()) return false;
      for (size_t e = 0; e < now[o].size(); ++e) {
        const OutDim at{static_cast<int>(o), static_cast<int>(e)};
        if (now[o][e] <= 0 || !expected(at, outputs[o][e], now[o][e])) return false;
      }
    }
    values = std::move(next);
    outputs = std::move(now);
    return true;
  }

  void ShrinkExact(const CoupledSizes::Slots& set) {
    const int64_t g = Divisor(set);
    if (g < 2) return;
    const std::vector<OutDim>& exact = coupled.moved(set).exact;
    std::set<int64_t>& taken = used(set);
    for (const int64_t p : kPrimes) {
      if (taken.count(p) > 0 || (p == 2 && &taken == &used_shared)) continue;
      if (p > g && (p > 61 || exact.empty())) return;
      std::vector<int64_t> next = values;
      for (const int s : set) next[static_cast<size_t>(s)] = at(s) / g * p;
      const auto expected = [&](OutDim o, int64_t before, int64_t after) {
        const bool scales = std::binary_search(exact.begin(), exact.end(), o);
        return after == (scales ? before / g * p : before);
      };
      if (exact.empty() && !IsInside(set, next)) continue;
      if (!KeepsNamed(set, next)) continue;
      if (!Adopt(std::move(next), expected)) continue;
      taken.insert(p);
      if (few > 0 && &taken == &used_alone && taken.size() == few) taken.clear();
      for (const int s : set) left[static_cast<size_t>(s)] /= g;
      for (const OutDim& o : exact) o.In(outputs_left) /= g;
      return;
    }
  }

  // Whether integers of the call that may be indices into a dim (such as the index to ignore) are
  // still below it. Large ones are only confirmed at the real sizes.
  bool KeepsNamed(const CoupledSizes::Slots& set, const std::vector<int64_t>& next) const {
    constexpr int64_t kLargestNamed = 60;
    for (const InputDomain& domain : box.DomainsOf(box.values()))
      for (const InputDomain::Bound& bound : domain.bounds) {
        const int dim = box.is_tensor(static_cast<size_t>(bound.input))
                            ? box.dim_slot(bound.input, bound.dim)
                            : -1;
        if (!std::binary_search(set.begin(), set.end(), dim)) continue;
        for (size_t s = box.first_literal(); s < next.size(); ++s)
          if (next[s] <= kLargestNamed && next[s] < box.value(dim) &&
              next[s] >= next[static_cast<size_t>(dim)])
            return false;
      }
    return true;
  }

  // Whether a size that affects no output is not at the boundary where it does: there (a slice that
  // takes everything) the call has another form.
  bool IsInside(const CoupledSizes::Slots& set, std::vector<int64_t> next) const {
    if (set.size() > 1) return true;
    --next[static_cast<size_t>(set.front())];
    std::vector<Shape> now;
    return box.Infer(next, now) && now == outputs;
  }

  // Whether adding one to the slot adds one to each of these outputs.
  bool StepsByOne(std::vector<int64_t> next, int slot, const std::vector<OutDim>& outs) const {
    std::vector<Shape> now, then;
    if (!box.Infer(next, now)) return false;
    for (int64_t step = 1; step <= 4; ++step) {
      Set(slot, next[static_cast<size_t>(slot)] + 1, next);
      if (!box.Infer(next, then) || now.size() != then.size()) return false;
      for (const OutDim& o : outs) {
        const size_t output = static_cast<size_t>(o.output);
        const size_t dim = static_cast<size_t>(o.dim);
        if (dim >= now[output].size() || dim >= then[output].size() ||
            o.In(then) != o.In(now) + step)
          return false;
      }
    }
    return true;
  }

  // Whether adding `period` to the slot repeatedly adds a constant amount to each of these outputs.
  bool GrowsEvenly(int slot, int64_t period, const std::vector<OutDim>& outs) const {
    std::vector<int64_t> next = values;
    std::vector<Shape> before = outputs, now;
    std::vector<int64_t> grown(outs.size(), 0);
    for (int step = 0; step < 5; ++step) {
      Set(slot, next[static_cast<size_t>(slot)] + period, next);
      if (!box.Infer(next, now) || now.size() != before.size()) return false;
      for (size_t i = 0; i < outs.size(); ++i) {
        const size_t output = static_cast<size_t>(outs[i].output);
        if (now[output].size() != before[output].size()) return false;
        const int64_t by = outs[i].In(now) - outs[i].In(before);
        if (by < 1 || (step > 0 && by != grown[i])) return false;
        grown[i] = by;
      }
      before = now;
    }
    return true;
  }

  // Sizes that differ by a multiple of this have the same phase.
  int64_t PeriodOf(const CoupledSizes::Slots& set) const {
    constexpr int64_t kPeriod = 12;
    constexpr int64_t kLongestPeriod = 64;
    const std::vector<OutDim>& other = coupled.moved(set).other;
    std::set<int64_t> periods = box.LiteralsUpTo(kLongestPeriod, values);
    std::erase_if(periods, [](int64_t period) { return kPeriod % period == 0; });
    if (periods.empty() || GrowsEvenly(set.front(), kPeriod, other)) return kPeriod;
    for (const int64_t period : periods)
      if (GrowsEvenly(set.front(), period, other)) return period;
    return kPeriod;
  }

  void ShrinkOther(const CoupledSizes::Slots& set) {
    const int64_t old = at(set.front());
    const bool taken = left[static_cast<size_t>(set.front())] != old;
    if (set.size() > 1 || taken) return;
    const int64_t period = PeriodOf(set);
    const bool meets = MeetsLiteral(old);
    for (int64_t size = 4; size < (meets ? std::min(old, kMostApart) : old); ++size)
      if (used_alone.count(size) == 0 && !MeetsLiteral(size) && AdoptOther(set, size, period))
        return;
    for (int64_t size = 4; meets && size < old; ++size)
      if (used_alone.count(size) == 0 && !MeetsLiteral(size, old) && AdoptOther(set, size, period))
        return;
    for (int64_t size = 4; old > kLargestKept && size < old; ++size)
      if (used_alone.count(size) == 0 && AdoptOther(set, size, period)) return;
  }

  // Whether the size has a common divisor with an integer of the call (such as a dilation) that
  // `old` does not have: the two could be taken for one size.
  bool MeetsLiteral(int64_t size, int64_t old = 1) const {
    for (size_t s = box.first_literal(); s < values.size(); ++s)
      if (box.scalable(static_cast<int>(s)) &&
          std::gcd(values[s], old) % std::gcd(values[s], size) != 0)
        return true;
    return false;
  }

  // Shrinks a single slot to `size` if all outputs change as they should.
  bool AdoptOther(const CoupledSizes::Slots& set, int64_t size, int64_t period) {
    const int64_t old = at(set.front());
    const std::vector<OutDim>& other = coupled.moved(set).other;
    const std::vector<OutDim>& exact = coupled.moved(set).exact;
    std::vector<int64_t> next = values;
    Set(set.front(), size, next);
    const bool same_phase = size % period == old % period && size > 12;
    const bool steps = StepsByOne(next, set.front(), other);
    const bool moves = std::ranges::any_of(coupled.grown(), [&](const CoupledSizes::Grown& grown) {
      return grown.dim == set.front();
    });
    const auto expected = [&](OutDim o, int64_t before, int64_t after) {
      if (std::binary_search(other.begin(), other.end(), o))
        return after >= std::min<int64_t>(before, 4) &&
               ((steps && before - after == old - size) || (same_phase && !moves));
      const bool scales = std::binary_search(exact.begin(), exact.end(), o);
      return scales ? after * old == before * size : after == before;
    };
    if (!Adopt(std::move(next), expected)) return false;
    used_alone.insert(size);
    return true;
  }

  // Sets a slot, and the literals that depend on it.
  void Set(int slot, int64_t size, std::vector<int64_t>& next) const {
    for (const CoupledSizes::Grown& grown : coupled.grown())
      if (grown.dim == slot)
        next[static_cast<size_t>(grown.literal)] += size - next[static_cast<size_t>(slot)];
    next[static_cast<size_t>(slot)] = size;
  }

  void ShrinkGrown() {
    constexpr int64_t kLength = 5;
    for (const CoupledSizes::Grown& grown : coupled.grown()) {
      if (grown.dim >= 0) continue;
      const int64_t length = grown.out.In(outputs);
      if (length <= kLength) continue;
      std::vector<int64_t> next = values;
      next[static_cast<size_t>(grown.literal)] -= grown.unit * (length - kLength);
      Adopt(std::move(next), [&](OutDim o, int64_t before, int64_t after) {
        return after == (o == grown.out ? kLength : before);
      });
    }
  }

  // Shrinks dims that are sums of literals: each literal is free.
  void ShrinkSums() {
    for (const auto& [dim, literals] : coupled.sums()) {
      std::vector<int64_t> next = values;
      int64_t sum = 0;
      size_t prime = 0;
      for (const int literal : literals) {
        while (prime + 1 < std::size(kPrimes) && used_alone.count(kPrimes[prime]) > 0) ++prime;
        used_alone.insert(kPrimes[prime]);
        next[static_cast<size_t>(literal)] = kPrimes[prime];
        sum += kPrimes[prime];
      }
      next[static_cast<size_t>(dim)] = sum;
      Adopt(std::move(next), [](OutDim, int64_t, int64_t) { return true; });
    }
  }
};

// Distance between the positions of a pair's slots in their lists, counted from the front or the
// back: of equal numbers, neighbours are likelier to be one size.
int64_t Distance(const BlackBox& box, const CoupledSizes::Slots& set) {
  if (set.size() != 2) return 0;
  const auto from_back = [&](const Slot& slot) {
    const size_t input = static_cast<size_t>(slot.input);
    if (slot.is_dim) return static_cast<int64_t>(box.rank(input)) - slot.entry;
    return (slot.input < 0 ? 0 : box.constant(input).size()) - slot.entry;
  };
  const Slot& a = box.slot(set[0]);
  const Slot& b = box.slot(set[1]);
  return std::min<int64_t>(std::abs(a.entry - b.entry), std::abs(from_back(a) - from_back(b)));
}

// Shrinks all sets, the most likely ones first.
void ShrinkSets(ShrinkOrder order, Shrinker& shrinker) {
  const BlackBox& box = shrinker.box;
  const CoupledSizes& coupled = shrinker.coupled;
  if (order != ShrinkOrder::kDims) shrinker.ShrinkSums();
  std::vector<CoupledSizes::Slots> left;
  std::vector<CoupledSizes::Slots> other;
  for (const CoupledSizes::Slots& set : coupled.sets()) {
    const bool summed = std::ranges::any_of(coupled.sums(), [&](const auto& sum) {
      return set.size() == 1 && std::ranges::find(sum.second, set[0]) != sum.second.end();
    });
    const auto literals =
        std::ranges::count_if(set, [&](int s) { return box.slot(s).is_literal(); });
    if (literals > 0 && order == ShrinkOrder::kDims) continue;
    if (literals > 0 && order == ShrinkOrder::kShared && std::ssize(set) - literals < 2) continue;
    if (!summed) (coupled.moved(set).other.empty() ? left : other).push_back(set);
  }
  std::ranges::sort(left, [&](const CoupledSizes::Slots& a, const CoupledSizes::Slots& b) {
    return std::make_tuple(Distance(box, a), a) < std::make_tuple(Distance(box, b), b);
  });
  std::ranges::sort(other);
  if (order == ShrinkOrder::kLast) std::ranges::reverse(left);
  while (!left.empty()) {
    // Sets of equal numbers (single slots too) before others, then the larger divisor. A set waits
    // for a larger set that contains it if it affects no output exactly (the dim of which Slice
    // takes a part), or if the larger set only adds integers of the call: the rest of a dim then
    // belongs to the smaller set (groups, then the channels of a group).
    const auto waits = [&](const CoupledSizes::Slots& a) {
      return std::ranges::any_of(left, [&](const CoupledSizes::Slots& b) {
        return a.size() < b.size() && std::ranges::includes(b, a) &&
               (coupled.moved(a).exact.empty() || shrinker.AddsLiterals(a, b));
      });
    };
    const auto key = [&](const CoupledSizes::Slots& a) {
      const int64_t divisor = shrinker.Divisor(a);
      if (order == ShrinkOrder::kSmallest)
        return std::make_tuple(waits(a), false, a.size() == 1, divisor);
      const bool equal = order != ShrinkOrder::kLargest && shrinker.AllEqual(a);
      return std::make_tuple(waits(a), !equal, equal && a.size() == 1, equal ? 0 : -divisor);
    };
    const auto better = [&](const CoupledSizes::Slots& a, const CoupledSizes::Slots& b) {
      return key(a) < key(b);
    };
    const auto best = order == ShrinkOrder::kPlaces ? std::ranges::min_element(left)
                                                    : std::ranges::min_element(left, better);
    shrinker.ShrinkExact(*best);
    left.erase(best);
  }
  for (const CoupledSizes::Slots& set : other) shrinker.ShrinkOther(set);
  shrinker.ShrinkGrown();
}

int64_t ElementsOf(const BlackBox& box, const Shrinker& shrinker) {
  int64_t elements = box.InputElements(shrinker.values);
  for (const Shape& shape : shrinker.outputs) elements += NumElements(shape);
  return elements;
}

}  // namespace

SmallCalls::SmallCalls(BlackBox& box) : box_(box), coupled_(box), legal_(coupled_.Run()) {}

std::optional<std::vector<int64_t>> SmallCalls::By(ShrinkOrder order, std::string& reason) {
  if (!legal_) {
    auto types = box_.InferOutputs(box_.values());
    reason = types.ok() ? "output sizes depend on data"
                        : "the call is refused: " + types.error().message;
    return std::nullopt;
  }
  for (const size_t few : {size_t{0}, kFewPrimes[0], kFewPrimes[1]}) {
    Shrinker shrinker{box_, coupled_, box_.values(), coupled_.outputs()};
    shrinker.few = few;
    ShrinkSets(order, shrinker);
    if (ElementsOf(box_, shrinker) <= kMostSampleElements) return shrinker.values;
  }
  reason = "no small call of its form was found";
  return std::nullopt;
}

}  // namespace metadist
