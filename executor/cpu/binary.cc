// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two operands. Broadcasting is resolved once: after dims are merged,
// each operand is contiguous or constant in the innermost loop; three forms of the loop cover that.
#include "executor/cpu/binary.h"

#include <cmath>

#include "executor/cpu/loop_nest.h"
#include "executor/cpu/nest_range.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/extremes.h"

namespace metadist::cpu {
namespace {

using F = BinaryFunction;

// Evenly spaced rows of equal length.
template <typename X>
struct Rows {
  const X* a;
  int64_t a_step;
  int64_t a_next;  // from one row to the next
  const X* b;
  int64_t b_step;
  int64_t b_next;
  int64_t y_next;
  int64_t count;  // elements in a row
  int64_t rows;
};

template <typename X, typename Y, typename Function>
METADIST_INLINE void Map(const Rows<X>& all, Y* y, Function f) {
  const X* a = all.a;
  const X* b = all.b;
  const int64_t count = all.count;
  for (int64_t row = 0; row < all.rows; ++row) {
    if (all.a_step == 1 && all.b_step == 1) {
      for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], b[i]);
    } else if (all.a_step == 1 && all.b_step == 0) {
      const X right = b[0];
      for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], right);
    } else if (all.a_step == 0 && all.b_step == 1) {
      const X left = a[0];
      for (int64_t i = 0; i < count; ++i) y[i] = f(left, b[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) y[i] = f(a[i * all.a_step], b[i * all.b_step]);
    }
    a += all.a_next;
    b += all.b_next;
    y += all.y_next;
  }
}

METADIST_MULTIVERSION
void FloatRows(F function, const Rows<float>& rows, float* y) {
  using X = float;
  switch (function) {
    case F::kAdd:
      return Map(rows, y, [](X a, X b) { return a + b; });
    case F::kSub:
      return Map(rows, y, [](X a, X b) { return a - b; });
    case F::kMul:
      return Map(rows, y, [](X a, X b) { return a * b; });
    case F::kDiv:
      return Map(rows, y, [](X a, X b) { return a / b; });
    case F::kMax:
      return Map(rows, y, [](X a, X b) { return Larger(a, b); });
    case F::kMin:
      return Map(rows, y, [](X a, X b) { return Smaller(a, b); });
    case F::kPRelu:
      return Map(rows, y, [](X a, X b) { return a < 0 ? a * b : a; });
    default:
      break;
  }
}

// b^e for the few exponents that models use; std::pow for others. The choice must not depend on the
// number of rows of a call, because the results differ in the last bits.
void PowerRows(const Rows<float>& rows, float* y) {
  if (rows.b_step == 0 && rows.b_next != 0 && rows.rows > 1) {
    Rows<float> one = rows;
    one.rows = 1;
    for (int64_t r = 0; r < rows.rows; ++r) {
      PowerRows(one, y);
      one.a += rows.a_next;
      one.b += rows.b_next;
      y += rows.y_next;
    }
    return;
  }
  if (rows.b_step == 0) {
    const float e = rows.b[0];
    if (e == 2.0f) return Map(rows, y, [](float a, float) { return a * a; });
    if (e == 3.0f) return Map(rows, y, [](float a, float) { return a * a * a; });
    if (e == 1.0f) return Map(rows, y, [](float a, float) { return a; });
  }
  Map(rows, y, [](float a, float b) { return std::pow(a, b); });
}

template <typename X>
METADIST_INLINE void Compare(F function, const Rows<X>& rows, bool* y) {
  switch (function) {
    case F::kEqual:
      return Map(rows, y, [](X a, X b) { return a == b; });
    case F::kLess:
      return Map(rows, y, [](X a, X b) { return a < b; });
    case F::kLessOrEqual:
      return Map(rows, y, [](X a, X b) { return a <= b; });
    case F::kGreater:
      return Map(rows, y, [](X a, X b) { return a > b; });
    case F::kGreaterOrEqual:
      return Map(rows, y, [](X a, X b) { return a >= b; });
    case F::kAnd:
      return Map(rows, y, [](X a, X b) { return a && b; });
    case F::kOr:
      return Map(rows, y, [](X a, X b) { return a || b; });
    case F::kXor:
      return Map(rows, y, [](X a, X b) { return (a != 0) != (b != 0); });
    default:
      break;
  }
}

METADIST_MULTIVERSION
void CompareFloatRows(F function, const Rows<float>& rows, bool* y) { Compare(function, rows, y); }

// Integers wrap: arithmetic is unsigned.
template <typename X>
void IntRows(F function, const Rows<X>& rows, X* y) {
  using U = std::make_unsigned_t<X>;
  switch (function) {
    case F::kAdd:
      return Map(rows, y, [](X a, X b) { return X(U(a) + U(b)); });
    case F::kSub:
      return Map(rows, y, [](X a, X b) { return X(U(a) - U(b)); });
    case F::kMul:
      return Map(rows, y, [](X a, X b) { return X(U(a) * U(b)); });
    case F::kMax:
      return Map(rows, y, [](X a, X b) { return a > b ? a : b; });
    case F::kMin:
      return Map(rows, y, [](X a, X b) { return a < b ? a : b; });
    case F::kPRelu:
      return Map(rows, y, [](X a, X b) { return a < 0 ? X(U(a) * U(b)) : a; });
    default:
      break;
  }
}

template <typename X, typename Y, typename RowFunction>
Prepared OverRows(const LoopNest& nest, RowFunction function) {
  return Accept("loop", RangeOf<2>(nest, [function](const KernelArgs& args, const NestRows& part) {
                  const auto& [at, step, count, next, rows] = part;
                  const X* a = args.in<X>(0) + at[0];
                  const X* b = args.in<X>(1) + at[1];
                  Y* y = args.out<Y>() + at[2];
                  function(Rows<X>{a, step[0], next[0], b, step[1], next[1], next[2], count, rows},
                           y);
                }));
}

bool IsArithmetic(F function) { return function <= F::kPRelu; }
bool IsLogical(F function) { return function >= F::kAnd; }

template <typename X>
Prepared Integers(const LoopNest& nest, F function) {
  if (IsArithmetic(function))
    return OverRows<X, X>(nest,
                          [function](const Rows<X>& rows, X* y) { IntRows<X>(function, rows, y); });
  return OverRows<X, bool>(
      nest, [function](const Rows<X>& rows, bool* y) { Compare<X>(function, rows, y); });
}

// Strides of an operand along the dims of the result, 0 if it is broadcast.
std::vector<int64_t> StridesIn(const KernelSite& site, size_t input) {
  const Shape& from = site.shape(input);
  const Shape& to = site.out().shape;
  if (!site.strided(input)) return StretchedStrides(from, to);
  std::vector<int64_t> strides(to.size(), 0);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) strides[to.size() - from.size() + d] = site.strides[input][d];
  return strides;
}

// Loops in the storage order of the result.
std::optional<LoopNest> NestOf(const KernelSite& site) {
  const Shape& shape = site.out().shape;
  const std::vector<int64_t> a = StridesIn(site, 0);
  const std::vector<int64_t> b = StridesIn(site, 1);
  if (site.out_strides.empty()) return LoopNest::Make(shape, {a, b, Strides(shape)});
  return LoopNest::MakeInOrderOf(2, shape, {a, b, site.out_strides});
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
      if (function == F::kPow) return OverRows<float, float>(*nest, PowerRows);
      if (IsArithmetic(function))
        return OverRows<float, float>(
            *nest, [function](const auto& rows, float* y) { FloatRows(function, rows, y); });
      return OverRows<float, bool>(
          *nest, [function](const auto& rows, bool* y) { CompareFloatRows(function, rows, y); });
    case ElementType::kI32:
    case ElementType::kI64:
      // A division by zero is an error, which the reference kernel reports.
      if (function == F::kDiv || function == F::kPow || IsLogical(function)) break;
      return site.element(0) == ElementType::kI32 ? Integers<int32_t>(*nest, function)
                                                  : Integers<int64_t>(*nest, function);
    case ElementType::kBool:
      if (IsLogical(function) || function == F::kEqual)
        return OverRows<bool, bool>(
            *nest, [function](const auto& rows, bool* y) { Compare<bool>(function, rows, y); });
      break;
    default:
      break;
  }
  return Decline("no loop for this element type");
}

}  // namespace metadist::cpu
