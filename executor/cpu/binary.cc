// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two operands. Broadcasting is settled once: merged dims leave an
// innermost loop in which each operand is contiguous or constant; three loop shapes cover that.
#include "executor/cpu/binary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "executor/cpu/loop_nest.h"
#include "executor/cpu/multiversion.h"
#include "executor/cpu/nest_range.h"

namespace metadist::cpu {
namespace {

using F = BinaryFunction;

template <typename X>
struct Row {
  const X* a;
  int64_t a_step;
  const X* b;
  int64_t b_step;
  int64_t count;
};

template <typename X, typename Y, typename Function>
METADIST_INLINE void Map(const Row<X>& row, Y* y, Function f) {
  const X* a = row.a;
  const X* b = row.b;
  const int64_t count = row.count;
  if (row.a_step == 1 && row.b_step == 1) {
    for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], b[i]);
  } else if (row.a_step == 1 && row.b_step == 0) {
    const X right = b[0];
    for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], right);
  } else if (row.a_step == 0 && row.b_step == 1) {
    const X left = a[0];
    for (int64_t i = 0; i < count; ++i) y[i] = f(left, b[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = f(a[i * row.a_step], b[i * row.b_step]);
  }
}

// The larger of two; a NaN on either side wins.
template <typename X>
METADIST_INLINE X Larger(X a, X b) {
  return a > b || a != a ? a : b;
}
template <typename X>
METADIST_INLINE X Smaller(X a, X b) {
  return a < b || a != a ? a : b;
}

METADIST_MULTIVERSION
void FloatRow(F function, const Row<float>& row, float* y) {
  using X = float;
  switch (function) {
    case F::kPlus:
      return Map(row, y, [](X a, X b) { return a + b; });
    case F::kMinus:
      return Map(row, y, [](X a, X b) { return a - b; });
    case F::kTimes:
      return Map(row, y, [](X a, X b) { return a * b; });
    case F::kOver:
      return Map(row, y, [](X a, X b) { return a / b; });
    case F::kLarger:
      return Map(row, y, [](X a, X b) { return Larger(a, b); });
    case F::kSmaller:
      return Map(row, y, [](X a, X b) { return Smaller(a, b); });
    case F::kSloped:
      return Map(row, y, [](X a, X b) { return a < 0 ? a * b : a; });
    default:
      break;
  }
}

// b^e for the few exponents that models use; std::pow elsewhere.
void PowerRow(const Row<float>& row, float* y) {
  if (row.b_step == 0) {
    const float e = row.b[0];
    if (e == 2.0f) return Map(row, y, [](float a, float) { return a * a; });
    if (e == 3.0f) return Map(row, y, [](float a, float) { return a * a * a; });
    if (e == 1.0f) return Map(row, y, [](float a, float) { return a; });
  }
  Map(row, y, [](float a, float b) { return std::pow(a, b); });
}

template <typename X>
METADIST_INLINE void Compare(F function, const Row<X>& row, bool* y) {
  switch (function) {
    case F::kIsEqual:
      return Map(row, y, [](X a, X b) { return a == b; });
    case F::kIsLess:
      return Map(row, y, [](X a, X b) { return a < b; });
    case F::kIsLessEqual:
      return Map(row, y, [](X a, X b) { return a <= b; });
    case F::kIsGreater:
      return Map(row, y, [](X a, X b) { return a > b; });
    case F::kIsGreaterEqual:
      return Map(row, y, [](X a, X b) { return a >= b; });
    case F::kBoth:
      return Map(row, y, [](X a, X b) { return a && b; });
    case F::kEither:
      return Map(row, y, [](X a, X b) { return a || b; });
    case F::kOneOfBoth:
      return Map(row, y, [](X a, X b) { return (a != 0) != (b != 0); });
    default:
      break;
  }
}

METADIST_MULTIVERSION
void CompareFloatRow(F function, const Row<float>& row, bool* y) { Compare(function, row, y); }

// Integers wrap: arithmetic is done unsigned.
template <typename X>
void IntRow(F function, const Row<X>& row, X* y) {
  using U = std::make_unsigned_t<X>;
  switch (function) {
    case F::kPlus:
      return Map(row, y, [](X a, X b) { return X(U(a) + U(b)); });
    case F::kMinus:
      return Map(row, y, [](X a, X b) { return X(U(a) - U(b)); });
    case F::kTimes:
      return Map(row, y, [](X a, X b) { return X(U(a) * U(b)); });
    case F::kLarger:
      return Map(row, y, [](X a, X b) { return a > b ? a : b; });
    case F::kSmaller:
      return Map(row, y, [](X a, X b) { return a < b ? a : b; });
    case F::kSloped:
      return Map(row, y, [](X a, X b) { return a < 0 ? X(U(a) * U(b)) : a; });
    default:
      break;
  }
}

template <typename X, typename Y, typename RowFunction>
Prepared OverRows(const LoopNest& nest, RowFunction function) {
  return Accept("loop", RangeOf<2>(nest, [function](const KernelArgs& args, const NestRow& row) {
                  const auto& [at, step, count] = row;
                  const X* a = reinterpret_cast<const X*>(args.inputs[0]) + at[0];
                  const X* b = reinterpret_cast<const X*>(args.inputs[1]) + at[1];
                  Y* y = reinterpret_cast<Y*>(args.outputs[0]) + at[2];
                  function(Row<X>{a, step[0], b, step[1], count}, y);
                }));
}

bool IsArithmetic(F function) { return function <= F::kSloped; }
bool IsLogical(F function) { return function >= F::kBoth; }

template <typename X>
Prepared Integers(const LoopNest& nest, F function) {
  if (IsArithmetic(function))
    return OverRows<X, X>(nest,
                          [function](const Row<X>& row, X* y) { IntRow<X>(function, row, y); });
  return OverRows<X, bool>(
      nest, [function](const Row<X>& row, bool* y) { Compare<X>(function, row, y); });
}

// Strides of an operand along the dims of the result, 0 where it is stretched.
std::vector<int64_t> StridesIn(const KernelSite& site, size_t input) {
  const Shape& from = site.shape(input);
  const Shape& to = site.out().shape;
  if (!site.strided(input)) return StretchedStrides(from, to);
  std::vector<int64_t> strides(to.size(), 0);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) strides[to.size() - from.size() + d] = site.strides[input][d];
  return strides;
}

// Loops in the order in which the result lies.
std::optional<LoopNest> NestOf(const KernelSite& site) {
  const Shape& shape = site.out().shape;
  const std::vector<int64_t> out =
      site.out_strides.empty() ? StretchedStrides(shape, shape) : site.out_strides;
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (!site.out_strides.empty())
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return out[a] > out[b]; });
  const auto sorted = [&](const std::vector<int64_t>& values) {
    std::vector<int64_t> result;
    for (size_t d : order) result.push_back(values[d]);
    return result;
  };
  return LoopNest::Make(sorted(shape),
                        {sorted(StridesIn(site, 0)), sorted(StridesIn(site, 1)), sorted(out)});
}

}  // namespace

Prepared PrepareBinary(const KernelSite& site, BinaryFunction function) {
  if (site.call->inputs.size() != 2) return Decline("two operands are needed");
  if (site.element(0) != site.element(1)) return Decline("operands of two element types");
  const auto nest = NestOf(site);
  if (!nest) return Decline("too many dims");
  switch (site.element(0)) {
    case ElementType::kF32:
      if (IsLogical(function)) break;
      if (function == F::kPower) return OverRows<float, float>(*nest, PowerRow);
      if (IsArithmetic(function))
        return OverRows<float, float>(
            *nest, [function](const auto& row, float* y) { FloatRow(function, row, y); });
      return OverRows<float, bool>(
          *nest, [function](const auto& row, bool* y) { CompareFloatRow(function, row, y); });
    case ElementType::kI32:
    case ElementType::kI64:
      // A division by zero is an error, which the reference kernel reports.
      if (function == F::kOver || function == F::kPower || IsLogical(function)) break;
      return site.element(0) == ElementType::kI32 ? Integers<int32_t>(*nest, function)
                                                  : Integers<int64_t>(*nest, function);
    case ElementType::kBool:
      if (IsLogical(function) || function == F::kIsEqual)
        return OverRows<bool, bool>(
            *nest, [function](const auto& row, bool* y) { Compare<bool>(function, row, y); });
      break;
    default:
      break;
  }
  return Decline("no loop for this element type");
}

}  // namespace metadist::cpu
