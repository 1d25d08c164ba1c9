// SPDX-License-Identifier: Apache-2.0
// Finds the partial values that can pass through an operator.
//
// Single inputs are tried, for sums, maxima and minima with the same terms; then sets of two, three
// and all inputs that contain no smaller one. A maximum or minimum that passes through a set passes
// through each of its inputs (give the other inputs the same value in both terms), so sets are only
// tried for sums, and only sets of inputs in which the operator may be affine (affine.h). Cost:
// kernel runs in proportion to the number of inputs, up to kMostAlone of them.
#include "planner/rules/search/pass_through.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "planner/rules/probe/arrays.h"
#include "planner/rules/search/pass_edges.h"

namespace metadist {
namespace {

// With more float inputs than this, sets of two or three are not tried.
constexpr size_t kMostForPairs = 12;
constexpr size_t kMostForTriples = 6;
// With more float inputs than this, single inputs are not tried either, only sums through all of
// them: testing one input runs the call with all, and a pass-through of one of hundreds of operands
// is of little use.
constexpr size_t kMostAlone = 32;
constexpr size_t kRounds = 1;          // of all settings at the first sizes
constexpr int64_t kLeastNumbers = 64;  // elements to test in those rounds
constexpr int kLeastShown = 4;
constexpr size_t kMoreRounds = 6;  // while fewer tests than that were conclusive
// Additional tests with equal indices. If two updates of one element are reduced by a minimum,
// parts of a maximum give a different result in only one draw of three.
constexpr size_t kMeetings = 8;
// Of one test, while the difference may be due to rounding.
constexpr int kMostDraws = 3;

// Elements in tests of a maximum or minimum through an input that is not affine, if there are other
// inputs: an operator may be monotone for nearly all their values (the cell state of an LSTM with
// peepholes), and few elements show that it is not.
constexpr int64_t kOrderedNumbers = 1000;
constexpr size_t kMostOrders = 1500;  // tests, some of which are inconclusive

struct PassSetting {
  int64_t terms;
  InputMode mode;
};
constexpr PassSetting kPassSettings[] = {{2, InputMode::kNormal},
                                         {3, InputMode::kIntegers},
                                         {2, InputMode::kNegative},
                                         {3, InputMode::kUp},
                                         {2, InputMode::kNormal},
                                         {3, InputMode::kMeet},
                                         {2, InputMode::kTies},
                                         {2, InputMode::kMeet}};

// Sets y to NaN where x is not finite: sums of infinities prove nothing (a division by 0).
void MarkInfinite(const Tensor& x, Tensor& y) {
  const double* from = x.data<double>();
  double* to = y.mutable_data<double>();
  const int64_t count = x.size();
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(from[i])) to[i] = std::numeric_limits<double>::quiet_NaN();
}

// A reduction that may pass, and the number of tests in which the terms gave different results: a
// mask that hides everything shows nothing, nor does a sequence without elements. Everything passes
// through an input that does not affect the outputs; `numbers` is false if all results were NaN.
struct Tried {
  ReduceOp op = ReduceOp::kSum;
  int shown = 0;
  bool numbers = false;
  bool asked = false;  // still to be decided in the current test
};

bool HasNumber(const Tensor& x) {
  const double* v = x.data<double>();
  return std::any_of(v, v + x.size(), [](double e) { return !std::isnan(e); });
}

bool Differ(const Tensor& x, const Tensor& y) {
  const double* a = x.data<double>();
  const double* b = y.data<double>();
  const int64_t count = std::min(x.size(), y.size());
  for (int64_t i = 0; i < count; ++i)
    if (a[i] != b[i] && !std::isnan(a[i]) && !std::isnan(b[i])) return true;
  return false;
}

struct PassTest {
  BlackBox& box;
  Sampler& sampler;
  int64_t& executions;

  // Those of `ops` that pass: all settings at the first sizes several times, two of them at the
  // other sizes.
  std::vector<ReduceOp> Passing(const std::vector<std::vector<int64_t>>& values,
                                const std::vector<int>& set,
                                std::span<const ReduceOp> ops) const {
    std::vector<Tried> left;
    for (const ReduceOp op : ops) left.push_back({op});
    // If a lower limit happens to be above the upper one, sums pass: many small tests. An input of
    // few elements takes as many more tests.
    int64_t least = kLeastNumbers;
    for (const int input : set)
      least = std::min(least, NumElements(box.ShapeOf(static_cast<size_t>(input), values[0])));
    std::vector<PassSetting> settings;
    for (const PassSetting& at : kPassSettings)
      if (sampler.Tells(at.mode)) settings.push_back(at);
    const int64_t each = std::max<int64_t>(least, 1) * std::ssize(settings);
    const size_t first =
        std::max<size_t>(kRounds, static_cast<size_t>(kLeastNumbers / each)) * settings.size();
    for (size_t t = 0; t < first + 2 * (values.size() - 1) && !left.empty(); ++t) {
      const size_t later = t < first ? 0 : t - first;
      Test(values[t < first ? 0 : 1 + later / 2],
           set,
           settings[(t < first ? t : later) % settings.size()],
           left);
    }
    for (size_t t = 0; t < kMeetings && !left.empty(); ++t)
      Meet(values[t % values.size()], set, left);
    const auto unsure = [](const Tried& one) { return one.shown < kLeastShown; };
    for (size_t t = 0; t < kMoreRounds * settings.size(); ++t)
      if (std::ranges::any_of(left, unsure))
        Test(values[t % values.size()], set, settings[t % settings.size()], left);
    std::vector<ReduceOp> passing;
    for (const Tried& one : left)
      if (one.shown > 0 || one.numbers) passing.push_back(one.op);
    return passing;
  }

  // Whether a maximum or a minimum passes for many values of the other inputs.
  bool KeepsOrder(const std::vector<std::vector<int64_t>>& values, const PassThrough& pass) const {
    std::vector<Tried> left{{pass.op}};
    int64_t numbers = 0;
    for (size_t t = 0; t < kMostOrders && numbers < kOrderedNumbers; ++t) {
      const std::vector<int64_t>& at = values[t % values.size()];
      const int shown = left.front().shown;
      Test(at, pass.inputs, kPassSettings[0], left);
      if (left.empty()) return false;
      if (left.front().shown == shown) continue;
      for (const int input : pass.inputs)
        numbers += NumElements(box.ShapeOf(static_cast<size_t>(input), at));
    }
    return true;
  }

  // A test in which all indices are equal, if there are indices.
  void Meet(const std::vector<int64_t>& values,
            const std::vector<int>& set,
            std::vector<Tried>& left) const {
    if (!sampler.Tells(InputMode::kMeet)) return;
    Test(values, set, {2 + sampler.random().Below(2), InputMode::kMeet}, left);
  }

  // Draws these inputs anew; false if that fails.
  bool Redraw(const std::vector<int>& set, InputMode mode, std::vector<Tensor>& inputs) const {
    return std::ranges::all_of(set, [&](int t) {
      const size_t i = static_cast<size_t>(t);
      const Shape shape = inputs[i].shape();
      return sampler.DrawOne(i, shape, mode, nullptr, inputs[i]);
    });
  }

  // Erases the reductions that do not pass. The terms are the same for all.
  void Test(const std::vector<int64_t>& values,
            const std::vector<int>& set,
            const PassSetting& at,
            std::vector<Tried>& left) const {
    for (Tried& one : left) one.asked = true;
    for (int draw = 0; draw < kMostDraws; ++draw) {
      std::vector<Tensor> base;
      std::vector<std::vector<Tensor>> terms, results(static_cast<size_t>(at.terms));
      if (!sampler.Draw(values, at.mode, {}, base)) return left.clear();
      terms.assign(results.size(), base);
      for (size_t term = 0; term < terms.size(); ++term) {
        // The first term is the base itself; the others differ from it in the inputs of the set.
        if (term > 0 && !Redraw(set, at.mode, terms[term])) return left.clear();
        if (!box.Run(values, terms[term], results[term])) return left.clear();
        for (const Tensor& y : results[term])
          if (y.element() != ElementType::kF64) return left.clear();
      }
      std::erase_if(left, [&](Tried& one) {
        if (!one.asked) return false;
        const Verdict verdict = Judge(values, set, terms, results, one);
        one.asked = verdict == Verdict::kNearly;
        return verdict == Verdict::kDiffers;
      });
      if (std::ranges::none_of(left, [](const Tried& one) { return one.asked; })) return;
    }
    std::erase_if(left, [](const Tried& one) { return one.asked; });
  }

  // kNearly: the difference may be rounding, if terms cancel.
  enum class Verdict : uint8_t { kAgrees, kNearly, kDiffers };

  Verdict Judge(const std::vector<int64_t>& values,
                const std::vector<int>& set,
                const std::vector<std::vector<Tensor>>& terms,
                const std::vector<std::vector<Tensor>>& results,
                Tried& one) const {
    ++executions;
    std::vector<Tensor> inputs = terms[0], whole;
    for (const int t : set) {
      Tensor& folded = inputs[static_cast<size_t>(t)];
      folded = folded.Clone();
      for (size_t term = 1; term < terms.size(); ++term)
        Fold(one.op, folded, terms[term][static_cast<size_t>(t)]);
    }
    if (!box.Run(values, inputs, whole)) return Verdict::kDiffers;
    double slack = 0;
    for (const std::vector<Tensor>& result : results)
      for (const Tensor& y : result) slack = std::max(slack, 1e-14 * Largest(y));
    const auto magnitude = [&] {
      double most = 0;
      for (const std::vector<Tensor>& term : terms)
        for (const int t : set)
          most = std::max(most, SumOfMagnitudes(term[static_cast<size_t>(t)]));
      return most;
    };
    bool differ = false;
    for (size_t o = 0; o < whole.size(); ++o) {
      Tensor folded = results[0][o].Clone();
      for (size_t term = 1; term < results.size(); ++term) {
        if (results[term][o].type() != folded.type()) return Verdict::kDiffers;
        differ = differ || Differ(results[0][o], results[term][o]);
        if (one.op == ReduceOp::kSum) MarkInfinite(results[term][o], folded);
        Fold(one.op, folded, results[term][o]);
      }
      if (whole[o].type() != folded.type()) return Verdict::kDiffers;
      if (one.op == ReduceOp::kSum) {
        MarkInfinite(whole[o], folded);
        MarkInfinite(folded, whole[o]);
      }
      one.numbers = one.numbers || HasNumber(whole[o]);
      const double own = slack + 1e-10 * std::max(Largest(whole[o]), 1e-300);
      if (Close(folded, whole[o], own)) continue;
      return Close(folded, whole[o], own + 1e-14 * magnitude()) ? Verdict::kNearly
                                                                : Verdict::kDiffers;
    }
    one.shown += differ ? 1 : 0;
    return Verdict::kAgrees;
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

bool PassDiffers(BlackBox& box,
                 Sampler& sampler,
                 const PassThrough& pass,
                 const std::vector<int64_t>& values) {
  std::vector<Tensor> inputs, outputs;
  if (!sampler.Draw(values, InputMode::kNormal, {}, inputs) || !box.Try(values, inputs, outputs))
    return false;
  int64_t executions = 0;
  std::vector<Tried> left{{pass.op}};
  const PassTest test{box, sampler, executions};
  test.Test(values, pass.inputs, kPassSettings[0], left);
  for (size_t t = 0; t < kMeetings && !left.empty(); ++t) test.Meet(values, pass.inputs, left);
  return left.empty();
}

std::vector<PassThrough> FindPassThrough(BlackBox& box,
                                         Sampler& sampler,
                                         const Family& family,
                                         const PassSizes& sizes,
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
  for (const std::vector<int64_t>& s : sizes.atoms) values.push_back(family.ValuesAt(s));
  const PassTest test{box, sampler, executions};
  PassEdges edges(box, sampler);
  const auto passes_edges = [&](const PassThrough& pass) {
    if (!edges.Passes(pass, values[0])) return false;
    const auto others = std::span(values).subspan(1, sizes.edges - 1);
    return std::ranges::all_of(others, [&](const auto& at) { return edges.PassesAt(pass, at); });
  };
  constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin};
  std::map<ReduceOp, std::vector<std::vector<int>>> sets;
  std::vector<int> left;  // inputs that larger sets may contain
  const bool many = floats.size() > kMostAlone;
  for (const int input : floats) {
    if (many) {
      if (affine.MayBe(input)) left.push_back(input);
      continue;
    }
    const std::vector<ReduceOp> ordinary = test.Passing(values, {input}, kOps);
    const bool bends = floats.size() > 1 && !ordinary.empty() && !affine.MayBe(input);
    for (const ReduceOp op : ordinary)
      if (passes_edges({op, {input}}) && (!bends || test.KeepsOrder(values, {op, {input}})))
        sets[op].push_back({input});
    // A sum that fails at the edges for one input alone fails for larger sets too.
    const bool passes = std::ranges::find(ordinary, ReduceOp::kSum) != ordinary.end();
    if (!passes && floats.size() > 1 && affine.MayBe(input)) left.push_back(input);
  }
  for (const size_t count : counts) {
    if (count > left.size()) break;
    ForSets(left, count, [&](const std::vector<int>& set) {
      std::vector<std::vector<int>>& sums = sets[ReduceOp::kSum];
      for (const std::vector<int>& known : sums)
        if (std::ranges::includes(set, known)) return;
      if (!test.Passing(values, set, std::span(kOps).first(1)).empty() &&
          passes_edges({ReduceOp::kSum, set}))
        sums.push_back(set);
    });
  }
  executions += edges.executions();
  std::vector<PassThrough> found;
  for (const ReduceOp op : kOps)
    for (const std::vector<int>& set : sets[op]) found.push_back({op, set});
  return found;
}

}  // namespace metadist
