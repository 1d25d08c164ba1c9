// SPDX-License-Identifier: Apache-2.0
// The result starts as the reduction of no elements; the innermost loop then folds a row either
// into one element or into a row.
#include "executor/cpu/reduction_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "executor/cpu/loop_nest.h"
#include "executor/cpu/row.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

using F = ReductionFunction;

template <typename T>
struct Line {
  const T* x;
  int64_t x_step;
  T* y;
  int64_t y_step;
  int64_t count;
};

template <typename T, typename Function>
METADIST_INLINE void FoldLine(const Line<T>& l, Function f) {
  if (l.y_step == 0) {
    T folded = *l.y;
    for (int64_t i = 0; i < l.count; ++i) folded = f(folded, l.x[i * l.x_step]);
    *l.y = folded;
  } else if (l.x_step == 1 && l.y_step == 1) {
    for (int64_t i = 0; i < l.count; ++i) l.y[i] = f(l.y[i], l.x[i]);
  } else {
    for (int64_t i = 0; i < l.count; ++i)
      l.y[i * l.y_step] = f(l.y[i * l.y_step], l.x[i * l.x_step]);
  }
}

template <typename Function>
METADIST_INLINE void AddLine(const Line<float>& l, Function term) {
  if (l.y_step == 0 && l.x_step == 1)
    *l.y += SumRow(l.x, l.count, term);
  else
    FoldLine(l, [term](float sum, float x) { return sum + term(x); });
}

METADIST_MULTIVERSION
void Fold(F function, const Line<float>& l) {
  switch (function) {
    case F::kReduceSum:
    case F::kReduceMean:
    case F::kReduceLogSum:
      return AddLine(l, [](float x) { return x; });
    case F::kReduceL1:
      return AddLine(l, [](float x) { return __builtin_fabsf(x); });
    case F::kReduceSumSquare:
    case F::kReduceL2:
      return AddLine(l, [](float x) { return x * x; });
    case F::kReduceProd:
      return FoldLine(l, [](float a, float b) { return a * b; });
    case F::kReduceMax:
      if (l.y_step == 0 && l.x_step == 1) {
        *l.y = Larger(*l.y, MaxRow(l.x, l.count, Larger<float>));
        return;
      }
      return FoldLine(l, Larger<float>);
    case F::kReduceMin:
      return FoldLine(l, Smaller<float>);
  }
}

template <typename T>
T StartOf(F function) {
  using Limits = std::numeric_limits<T>;
  if (function == F::kReduceMax)
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  if (function == F::kReduceMin) return Limits::has_infinity ? Limits::infinity() : Limits::max();
  return function == F::kReduceProd ? T(1) : T(0);
}

void Finish(F function, int64_t reduced, float* y, int64_t count) {
  const float parts = static_cast<float>(reduced);
  for (int64_t i = 0; i < count; ++i) {
    if (function == F::kReduceMean) y[i] /= parts;
    if (function == F::kReduceL2) y[i] = std::sqrt(y[i]);
    if (function == F::kReduceLogSum) y[i] = std::log(y[i]);
  }
}

// Integers: sums wrap.
template <typename T>
void Fold(F function, const Line<T>& l) {
  using Unsigned = std::make_unsigned_t<T>;
  if (function == F::kReduceSum)
    FoldLine(l, [](T a, T b) { return static_cast<T>(Unsigned(a) + Unsigned(b)); });
  else if (function == F::kReduceMax)
    FoldLine(l, Larger<T>);
  else
    FoldLine(l, Smaller<T>);
}

template <typename T>
Prepared Bind(F function, const LoopNest& nest, int64_t count, int64_t parts) {
  return Accept("loops", [=](const KernelArgs& args) {
    const T* const x = args.in<T>(0);
    T* const y = args.out<T>();
    std::fill_n(y, count, StartOf<T>(function));
    nest.ForEachRow([&](const LoopNest::Offsets& at) {
      Fold(function,
           Line<T>{x + at[0], nest.inner_stride[0], y + at[1], nest.inner_stride[1], nest.inner});
    });
    if constexpr (std::is_same_v<T, float>) Finish(function, parts, y, count);
  });
}

}  // namespace

Prepared ReduceByLoops(const KernelSite& site, F function, const std::vector<bool>& reduced) {
  const Shape& shape = site.shape(0);
  std::vector<int64_t> to(shape.size(), 0);
  int64_t count = 1;
  for (size_t d = shape.size(); d-- > 0;)
    if (!reduced[d]) {
      to[d] = count;
      count *= shape[d];
    }
  const int64_t parts = count == 0 ? 0 : NumElements(shape) / count;
  if (parts == 0) return Decline("nothing to reduce");
  const auto nest = LoopNest::Make(shape, {site.StridesOf(0), to});
  if (!nest) return Decline("too many dims");
  const bool boolean = site.element(0) == ElementType::kBool;
  if (boolean && function == F::kReduceSum) return Decline("no sum of booleans");
  return ForTypes<float, uint8_t, int8_t, int32_t, int64_t>(
      boolean ? ElementType::kU8 : site.element(0), [&](auto zero) -> Prepared {
        using T = decltype(zero);
        if (std::is_integral_v<T> && function != F::kReduceSum && function != F::kReduceMax &&
            function != F::kReduceMin)
          return Decline("sums and extremes of integers only");
        return Bind<T>(function, *nest, count, parts);
      });
}

}  // namespace metadist::cpu
