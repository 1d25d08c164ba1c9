// SPDX-License-Identifier: Apache-2.0
// What can never arrive as a sum.
//
// Let f(x, b) be the sum over the ranks of f(x_r, b_r) wherever b is the sum of the b_r. Moving d
// from b_2 to b_1 leaves the left side as it is, so f(x_1, b_1 + d) - f(x_1, b_1) is what f(x_2,
// b_2) loses; the one depends on b_1, the other on b_2, hence both on d alone: f is affine in b.
// The same holds of every input of a set whose sums pass together. So one look at a line through
// each input - is the middle of two results the result of the middle? - saves the trials of all
// sets that hold it, which are many where an operator has many inputs (cells, norms).
//
// The test only prunes: what it lets through is tried as before. Differences of a billionth of the
// largest result are rounding. Sizes are the surrogates; legal values lie on a line between legal
// ones. Cost: 3 kernel runs an input, 6 if it may be affine.
#include "planner/rules/probe/affine.h"

#include <algorithm>
#include <cmath>

#include "planner/rules/probe/arrays.h"

namespace metadist {
namespace {

constexpr double kSlack = 1e-9;
// Elements in lines that are no points (as those of an empty sequence are): few may lie where an
// operator saturates, and is straight.
constexpr int64_t kStraightNumbers = 16;
constexpr int kMostLines = 24;

// Whether `middle` is half of `a` and `b`, as far as they are finite.
bool IsMiddle(const Tensor& a, const Tensor& b, const Tensor& middle) {
  if (a.type() != b.type() || a.type() != middle.type()) return true;
  if (a.element() != ElementType::kF64) return true;
  const double slack = kSlack * std::max({Largest(a), Largest(b), Largest(middle), 1e-300});
  const double* x = a.data<double>();
  const double* y = b.data<double>();
  const double* m = middle.data<double>();
  for (int64_t i = 0; i < a.size(); ++i)
    if (std::abs(0.5 * x[i] + 0.5 * y[i] - m[i]) > slack) return false;  // NaN: says nothing
  return true;
}

Tensor Middle(const Tensor& a, const Tensor& b) {
  Tensor middle = a.Clone();
  double* m = middle.mutable_data<double>();
  const double* y = b.data<double>();
  for (int64_t i = 0; i < middle.size(); ++i) m[i] = 0.5 * m[i] + 0.5 * y[i];
  return middle;
}

}  // namespace

bool AffineInputs::MayBe(int input) {
  const size_t i = static_cast<size_t>(input);
  known_.resize(box_.num_inputs());
  if (known_[i]) return *known_[i];
  bool may_be = true;
  const int64_t each = NumElements(box_.ShapeOf(i, family_.ValuesAt(family_.surrogate)));
  for (const InputMode mode : {InputMode::kNormal, InputMode::kIntegers}) {
    int64_t numbers = 0;
    for (int t = 0; t < kMostLines && may_be && numbers < kStraightNumbers; ++t) {
      const Line line = Test(i, mode);
      may_be = line != Line::kBent;
      if (line == Line::kStraight) numbers += each;
    }
  }
  known_[i] = may_be;
  return may_be;
}

AffineInputs::Line AffineInputs::Test(size_t input, InputMode mode) {
  const std::vector<int64_t> values = family_.ValuesAt(family_.surrogate);
  std::vector<Tensor> inputs, one, two, middle;
  Tensor other;
  if (!sampler_.Draw(values, mode, {}, inputs) ||
      !sampler_.DrawOne(input, inputs[input].shape(), mode, nullptr, other) ||
      !box_.Run(values, inputs, one))
    return Line::kStraight;
  const Tensor between = Middle(inputs[input], other);
  inputs[input] = other;
  if (!box_.Run(values, inputs, two)) return Line::kStraight;
  inputs[input] = between;
  if (!box_.Run(values, inputs, middle)) return Line::kStraight;
  Line line = Line::kPoint;
  for (size_t o = 0; o < one.size() && o < two.size() && o < middle.size(); ++o) {
    if (!IsMiddle(one[o], two[o], middle[o])) return Line::kBent;
    if (!Identical(one[o], two[o])) line = Line::kStraight;
  }
  return line;
}

}  // namespace metadist
