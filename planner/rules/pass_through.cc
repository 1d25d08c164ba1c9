// SPDX-License-Identifier: Apache-2.0
// Which partial values an operator passes on.
//
// Single inputs are tried, then sets of two, three and all of them that hold no smaller one. Maxima
// and minima that pass through a set pass through each of its inputs (let the others have the same
// value in both terms), so sets are tried for sums alone, and only sets of inputs in which the
// operator may be affine (affine.h). Source: shardcombine.md 4.7.
#include "planner/rules/pass_through.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "planner/rules/arrays.h"

namespace metadist {
namespace {

// Beyond these numbers of float inputs, sets of two or three are not tried.
constexpr size_t kMostForPairs = 12;
constexpr size_t kMostForTriples = 6;
constexpr size_t kRounds = 2;  // of all settings at the first sizes

struct Setting {
  int64_t terms;
  InputMode mode;
};
constexpr Setting kSettings[] = {{2, InputMode::kNormal},
                                 {3, InputMode::kIntegers},
                                 {2, InputMode::kNegative},
                                 {3, InputMode::kUp}};

// Makes y a NaN where x is no finite number: sums of infinities say nothing (a division by 0).
void MarkInfinite(const Tensor& x, Tensor& y) {
  for (int64_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x.data<double>()[i]))
      y.mutable_data<double>()[i] = std::numeric_limits<double>::quiet_NaN();
}

bool HasNumber(const Tensor& x) {
  const double* v = x.data<double>();
  return std::any_of(v, v + x.size(), [](double e) { return !std::isnan(e); });
}

// kNothing: no result is a number (a mask that hides all), which says nothing.
enum class Verdict : uint8_t { kNo, kNothing, kYes };

struct PassTest {
  BlackBox& box;
  Sampler& sampler;
  int64_t& executions;

  // All of the settings at the first values several times, two of them at the others.
  bool Passes(const std::vector<std::vector<int64_t>>& values,
              const std::vector<int>& set,
              ReduceOp op) const {
    bool any = false;
    const auto agrees = [&](const std::vector<int64_t>& at, size_t test) {
      const Verdict verdict = Agrees(at, set, op, kSettings[test % std::size(kSettings)]);
      any = any || verdict == Verdict::kYes;
      return verdict != Verdict::kNo;
    };
    // Where a lower limit happens to lie above the upper one, sums pass: many small tests.
    for (size_t t = 0; t < kRounds * std::size(kSettings); ++t)
      if (!agrees(values[0], t)) return false;
    for (size_t t = 0; t < 2 * (values.size() - 1); ++t)
      if (!agrees(values[1 + t / 2], t)) return false;
    return any;
  }

  Verdict Agrees(const std::vector<int64_t>& values,
                 const std::vector<int>& set,
                 ReduceOp op,
                 const Setting& at) const {
    std::vector<Tensor> base, folded_inputs, whole, one, folded;
    if (!sampler.Draw(values, at.mode, {}, base)) return Verdict::kNo;
    ++executions;
    double slack = 0;
    for (int64_t term = 0; term < at.terms; ++term) {
      std::vector<Tensor> inputs = base;
      if (term == 0) folded_inputs = base;
      for (const int t : set) {
        const size_t i = static_cast<size_t>(t);
        if (!sampler.DrawOne(i, base[i].shape(), at.mode, nullptr, inputs[i])) return Verdict::kNo;
        if (term == 0)
          folded_inputs[i] = inputs[i].Clone();
        else
          Fold(op, folded_inputs[i], inputs[i]);
      }
      if (!box.Run(values, inputs, one)) return Verdict::kNo;
      for (const Tensor& y : one) {
        if (y.element() != ElementType::kF64) return Verdict::kNo;
        slack = std::max(slack, 1e-14 * Largest(y));
      }
      if (term == 0) {
        folded = std::move(one);
        continue;
      }
      for (size_t o = 0; o < folded.size(); ++o) {
        if (one[o].type() != folded[o].type()) return Verdict::kNo;
        if (op == ReduceOp::kSum) MarkInfinite(one[o], folded[o]);
        Fold(op, folded[o], one[o]);
      }
    }
    if (!box.Run(values, folded_inputs, whole)) return Verdict::kNo;
    bool any = false;
    for (size_t o = 0; o < whole.size(); ++o) {
      if (whole[o].type() != folded[o].type()) return Verdict::kNo;
      if (op == ReduceOp::kSum) {
        MarkInfinite(whole[o], folded[o]);
        MarkInfinite(folded[o], whole[o]);
      }
      any = any || HasNumber(whole[o]);
      if (!Close(folded[o], whole[o], slack + 1e-10 * std::max(Largest(whole[o]), 1e-300)))
        return Verdict::kNo;
    }
    return any ? Verdict::kYes : Verdict::kNothing;
  }
};

// Calls visit on every sorted set of `count` of the inputs.
template <typename Visit>
void ForSets(const std::vector<int>& inputs, size_t count, Visit visit) {
  std::vector<size_t> pick(count);
  std::iota(pick.begin(), pick.end(), 0);
  for (;;) {
    std::vector<int> set;
    for (const size_t i : pick) set.push_back(inputs[i]);
    visit(set);
    size_t at = count;
    while (at > 0 && pick[at - 1] == inputs.size() - count + at - 1) --at;
    if (at == 0) return;
    ++pick[at - 1];
    for (size_t i = at; i < count; ++i) pick[i] = pick[i - 1] + 1;
  }
}

}  // namespace

std::vector<PassThrough> FindPassThrough(BlackBox& box,
                                         Sampler& sampler,
                                         const Family& family,
                                         const std::vector<std::vector<int64_t>>& sizes,
                                         AffineInputs& affine,
                                         int64_t& executions) {
  std::vector<int> floats;
  for (size_t i = 0; i < box.num_inputs(); ++i)
    if (box.is_tensor(i) && box.element_class(i) == ElementClass::kFloat)
      floats.push_back(static_cast<int>(i));
  std::vector<size_t> counts;  // of larger sets
  if (floats.size() >= 2 && floats.size() <= kMostForPairs) counts.push_back(2);
  if (floats.size() >= 3 && floats.size() <= kMostForTriples) counts.push_back(3);
  if (floats.size() >= 2 && (counts.empty() || counts.back() < floats.size()))
    counts.push_back(floats.size());
  std::vector<std::vector<int64_t>> values;
  for (const std::vector<int64_t>& s : sizes) values.push_back(family.ValuesAt(s));
  const PassTest test{box, sampler, executions};
  std::vector<PassThrough> found;
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin}) {
    std::vector<std::vector<int>> sets;
    std::vector<int> left;  // inputs that larger sets may hold
    for (const int input : floats) {
      if (test.Passes(values, {input}, op))
        sets.push_back({input});
      else if (op == ReduceOp::kSum && floats.size() > 1 && affine.MayBe(input))
        left.push_back(input);
    }
    for (const size_t count : counts) {
      if (count > left.size()) break;
      ForSets(left, count, [&](const std::vector<int>& set) {
        for (const std::vector<int>& known : sets)
          if (std::includes(set.begin(), set.end(), known.begin(), known.end())) return;
        if (test.Passes(values, set, op)) sets.push_back(set);
      });
    }
    for (const std::vector<int>& set : sets) found.push_back({op, set});
  }
  return found;
}

}  // namespace metadist
