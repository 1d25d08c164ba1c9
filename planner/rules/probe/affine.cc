// SPDX-License-Identifier: Apache-2.0
// Finds inputs that can never be partial sums.
//
// Suppose f(x, b) is the sum over the ranks of f(x_r, b_r) whenever b is the sum of the b_r. Moving
// d from b_2 to b_1 does not change f(x, b), so f(x_1, b_1 + d) - f(x_1, b_1) equals the decrease
// of f(x_2, b_2). The former depends on b_1, the latter on b_2, hence both only on d: f is affine
// in b. The same holds for every input of a set through which sums pass together. So one test per
// input, whether f of the midpoint of two values is the midpoint of their results, avoids trying
// all sets that contain it; operators with many inputs (recurrent cells, norms) have many such
// sets.
//
// The test only prunes: inputs that pass it are still tried by execution. Differences of 1e-9 of
// the largest result count as rounding. Sizes are the surrogates; points between two legal values
// are legal. Cost: 3 kernel runs per line; few lines for an input that may be affine.
#include "planner/rules/probe/affine.h"

#include <algorithm>
#include <cmath>

#include "planner/rules/probe/arrays.h"

namespace metadist {
namespace {

constexpr double kSlack = 1e-9;
// Number of elements to test on lines whose results differ (they are all equal for an empty
// sequence): with few elements, all may be where the operator saturates and looks affine.
constexpr int64_t kStraightNumbers = 16;
constexpr int kMostLines = 24;

// Whether `middle` is the mean of `a` and `b`, where they are finite.
bool IsMiddle(const Tensor& a, const Tensor& b, const Tensor& middle) {
  if (a.type() != b.type() || a.type() != middle.type()) return true;
  if (a.element() != ElementType::kF64) return true;
  const double slack = kSlack * std::max({Largest(a), Largest(b), Largest(middle), 1e-300});
  const double* x = a.data<double>();
  const double* y = b.data<double>();
  const double* m = middle.data<double>();
  for (int64_t i = 0; i < a.size(); ++i)
    if (std::abs(0.5 * x[i] + 0.5 * y[i] - m[i]) > slack) return false;  // false for NaN
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
