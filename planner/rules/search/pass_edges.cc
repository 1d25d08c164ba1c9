// SPDX-License-Identifier: Apache-2.0
// A pass-through of ordinary numbers may fail in a model's own types.
//
// Reference kernels compute in f64, where nothing overflows and little precision is lost. The parts
// of a partial sum may be far larger than the sum: a type with fewer bits may lose the sum, or
// overflow although the sum fits. So a partial value never passes into a type that cannot represent
// all its numbers ("narrowing"). Sums must pass with parts of ten thousand that cancel (a hundred
// in f16, whose maximum is 65,504), every array rounded to its own type; and with the whole sum on
// one rank and zeros on the others, as when a replicated value becomes partial.
//
// The other parts of a maximum may be anything below the greatest: outside the operator's domain,
// minus infinity, the same number again; and NaN stays NaN. The legal values of the input only
// bound the maximum itself. The same holds for a minimum.
//
// Sums are not tested with another input that is infinite, or a divisor of zero: the whole is then
// NaN or infinite in any case. Nor is an element tested if a part overflows only because of its
// type (1e2 / 1e-3 in f16): the plan chooses the type in which parts are held.
//
// Cost: 1 + 3 kernel runs, three times for a sum, eight times for a maximum.
#include "planner/rules/search/pass_edges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/own_type.h"

namespace metadist {
namespace {

constexpr int64_t kParts = 3;
constexpr double kPartRoundings = 16;      // allowed error, in epsilons of the largest part
constexpr double kKernelRounding = 1e-14;  // and times the sum of the parts' magnitudes
constexpr int kDraws = 2;
constexpr int kDrawsBeyond = 6;  // of numbers below a maximum: a zero that meets infinity is rare
constexpr int kKinds = 5;        // of such numbers
constexpr int kMostEdgeTurns = 24;  // until enough draws were conclusive

double LargePartOf(ElementType type) { return IsShortRanged(type) ? 1e2 : 1e4; }

bool HasNan(const Tensor& x) {
  const double* v = x.data<double>();
  return std::any_of(v, v + x.size(), [](double e) { return std::isnan(e); });
}

}  // namespace

bool PassEdges::Passes(const PassThrough& pass, const std::vector<int64_t>& values) {
  if (Narrows(values, pass.inputs)) return false;
  // With few elements it takes several turns to use all kinds of numbers.
  const bool few =
      makes_few_ || std::ranges::any_of(pass.inputs, [&](int input) {
        return NumElements(box_.ShapeOf(static_cast<size_t>(input), values)) < 2 * kKinds;
      });
  const int beyond = few ? 3 * kKinds : kDrawsBeyond;
  const int with_nan = few ? kKinds - 1 : kDraws - 1;
  const auto holds = [&](Parts kind, int draws) {
    int told = 0;
    for (turn_ = 0; told < draws && turn_ < kMostEdgeTurns; ++turn_) {
      if (!Compares(pass, kind, values)) return false;
      told += told_ ? 1 : 0;
    }
    return true;
  };
  if (pass.op == ReduceOp::kSum) return holds(Parts::kFar, kDraws) && holds(Parts::kAlone, 1);
  return holds(Parts::kFar, beyond) && holds(Parts::kEvenNan, with_nan) &&
         holds(Parts::kOddNan, with_nan);
}

bool PassEdges::PassesAt(const PassThrough& pass, const std::vector<int64_t>& values) {
  turn_ = 0;
  return Compares(pass, Parts::kFar, values);
}

bool PassEdges::Narrows(const std::vector<int64_t>& values, const std::vector<int>& set) {
  auto types = box_.InferOutputs(values);
  if (!types.ok()) return true;
  made_.clear();
  makes_few_ = false;
  for (const TensorType& type : types.value()) {
    made_.push_back(type.element);
    makes_few_ = makes_few_ || NumElements(type.shape) < 2 * kKinds;
  }
  return std::ranges::any_of(set, [&](int input) {
    return std::ranges::any_of(made_, [&](ElementType made) {
      return IsNarrower(made, box_.element(static_cast<size_t>(input)));
    });
  });
}

PassEdges::Arrays PassEdges::PartsOfSum(Parts kind, size_t input, Tensor& whole) {
  const ElementType type = box_.element(input);
  if (kind == Parts::kAlone) {
    whole = Rounded(whole, type);
    Arrays parts(kParts, Tensor::Zeros(whole.type()));
    parts[static_cast<size_t>(sampler_.random().Below(kParts))] = whole;
    return parts;
  }
  const double large = LargePartOf(type);
  Arrays parts(kParts);
  for (Tensor& part : parts) part = Tensor::Zeros(whole.type());
  Tensor sum = Tensor::Zeros(whole.type());
  for (int64_t i = 0; i < whole.size(); ++i) {
    double left = whole.data<double>()[i];
    for (int64_t p = 0; p < kParts; ++p) {
      const bool last = p + 1 == kParts;
      const double part = last ? left : large * sampler_.random().Bell();
      parts[static_cast<size_t>(p)].mutable_data<double>()[i] = part;
      left -= part;
    }
  }
  for (Tensor& part : parts) {
    part = Rounded(part, type);
    Fold(ReduceOp::kSum, sum, part);
  }
  whole = Rounded(sum, type);
  return parts;
}

PassEdges::Arrays PassEdges::PartsOfExtreme(ReduceOp op, Parts kind, size_t input, Tensor& whole) {
  const ElementType type = box_.element(input);
  const double sign = op == ReduceOp::kMax ? 1 : -1;
  const double lowest = sign * LowestOf(type);
  whole = Rounded(whole, type);
  Arrays parts(kParts);
  for (Tensor& part : parts) part = whole.Clone();
  const int64_t count = whole.size();
  // NaN on one rank, and therefore in the whole. The other parts are larger there than elsewhere:
  // an operator that ignores NaN takes them for the maximum.
  const auto is_nan = [&](int64_t i) {
    return kind != Parts::kFar && i % 2 == (kind == Parts::kOddNan ? 1 : 0);
  };
  for (int64_t i = 0; i < count; ++i) {
    const int64_t owner = sampler_.random().Below(kParts);
    int64_t kind_here = i + turn_;  // every element takes all kinds within kKinds turns
    for (int64_t p = 0; p < kParts; ++p) {
      double& x = parts[static_cast<size_t>(p)].mutable_data<double>()[i];
      if (is_nan(i)) {
        x = sign * LargePartOf(type);
        continue;
      }
      if (p == owner) continue;
      const double below[] = {x - sign * std::abs(sampler_.random().Bell()),
                              x,
                              x - sign * LargePartOf(type) * sampler_.random().Uniform(),
                              lowest,
                              -sign * std::numeric_limits<double>::infinity()};
      static_assert(std::size(below) == kKinds);
      x = below[kind != Parts::kFar ? 0 : kind_here++ % kKinds];
    }
  }
  for (Tensor& part : parts) part = Rounded(part, type);
  if (kind == Parts::kFar) return parts;
  for (Tensor* x : {&whole, &parts[0]}) {
    *x = x->Clone();
    for (int64_t i = 0; i < count; ++i)
      if (is_nan(i)) x->mutable_data<double>()[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return parts;
}

bool PassEdges::Run(const std::vector<int64_t>& values, const Arrays& inputs, Arrays& outputs) {
  if (!box_.Try(values, inputs, outputs) || outputs.size() != made_.size()) return false;
  return std::ranges::all_of(outputs,
                             [](const Tensor& y) { return y.element() == ElementType::kF64; });
}

void PassEdges::RoundOutput(ReduceOp op,
                            size_t o,
                            Arrays& whole,
                            std::vector<Arrays>& results) const {
  whole[o] = Rounded(whole[o], made_[o]);
  std::vector<int64_t> too_large;
  for (Arrays& result : results) {
    const Tensor exact = result[o];
    result[o] = Rounded(exact, made_[o]);
    for (int64_t i = 0; op == ReduceOp::kSum && i < exact.size(); ++i)
      if (std::isfinite(exact.data<double>()[i]) && std::isinf(result[o].data<double>()[i]))
        too_large.push_back(i);
  }
  if (too_large.empty()) return;
  const auto leave_out = [&](Tensor& y) {
    y = y.Clone();
    for (const int64_t i : too_large) y.mutable_data<double>()[i] = 0;
  };
  leave_out(whole[o]);
  for (Arrays& result : results) leave_out(result[o]);
}

// Whether the draw is conclusive: NaN reaches the output, or the parts give different results.
bool PassEdges::Tells(Parts kind, const Tensor& whole, const Tensor& one, const Tensor& other) {
  if (kind == Parts::kEvenNan || kind == Parts::kOddNan) return HasNan(whole);
  return one.type() != other.type() || !Close(one, other, 0);
}

bool PassEdges::Compares(const PassThrough& pass, Parts kind, const std::vector<int64_t>& values) {
  const bool sums = pass.op == ReduceOp::kSum;
  Arrays inputs, whole;
  if (!sampler_.Draw(values, InputMode::kNormal, {}, inputs)) return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].element() == ElementType::kF64 && box_.is_tensor(i))
      inputs[i] = Rounded(inputs[i], box_.element(i));
  std::vector<Arrays> mine(kParts, inputs);
  double epsilon = 0, magnitudes = 0;
  for (const int input : pass.inputs) {
    const size_t i = static_cast<size_t>(input);
    Arrays parts =
        sums ? PartsOfSum(kind, i, inputs[i]) : PartsOfExtreme(pass.op, kind, i, inputs[i]);
    for (size_t p = 0; p < parts.size(); ++p) {
      if (sums) magnitudes = std::max(magnitudes, SumOfMagnitudes(parts[p]));
      mine[p][i] = std::move(parts[p]);
    }
    epsilon = std::max(epsilon, EpsilonOf(box_.element(i)));
  }
  if (!Run(values, inputs, whole)) return false;
  ++executions_;
  std::vector<Arrays> results(kParts);
  for (size_t p = 0; p < results.size(); ++p)
    if (!Run(values, mine[p], results[p])) return false;
  told_ = false;
  for (size_t o = 0; o < whole.size(); ++o) {
    for (const Arrays& result : results)
      if (result[o].type() != whole[o].type()) return false;
    RoundOutput(pass.op, o, whole, results);
    double largest = Largest(whole[o]);
    told_ = told_ || Tells(kind, whole[o], results[0][o], results[1][o]);
    Tensor folded = results[0][o].Clone();
    for (size_t p = 0; p < results.size(); ++p) {
      largest = std::max(largest, Largest(results[p][o]));
      if (p > 0) Fold(pass.op, folded, results[p][o]);
    }
    // Kernels add up in f64, whose rounding counts beside that of f64 itself.
    const double slack =
        sums ? kPartRoundings * epsilon * largest + kKernelRounding * magnitudes : 0;
    if (!Close(folded, whole[o], slack)) return false;
  }
  return true;
}

}  // namespace metadist
