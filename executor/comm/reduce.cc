// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/reduce.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace metadist {
namespace {

constexpr int64_t kBlock = 512;  // elements accumulated at a time, fits the L1 cache

template <typename T>
constexpr bool kIsNarrow =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || kIsSmallFloat<T>;

// The type in which T is accumulated.
template <typename T>
using Accumulator =
    std::conditional_t<kIsNarrow<T>, float, std::conditional_t<kIsSmallInt<T>, int64_t, T>>;

// Integers are added and multiplied as this: signed overflow is undefined, unsigned is not.
template <typename A>
using Wrapping =
    std::conditional_t<std::is_integral_v<A>,
                       std::conditional_t<sizeof(A) <= sizeof(uint32_t), uint32_t, uint64_t>,
                       A>;

template <ReduceOp kOp, typename A>
A Combine(A a, A b) {
  using W = Wrapping<A>;
  if constexpr (kOp == ReduceOp::kSum) return static_cast<A>(static_cast<W>(a) + static_cast<W>(b));
  if constexpr (kOp == ReduceOp::kProd)
    return static_cast<A>(static_cast<W>(a) * static_cast<W>(b));
  // If either side is NaN, so is the result, as in the reference kernels of max and min.
  if constexpr (kOp == ReduceOp::kMax) return a > b || a != a ? a : b;
  if constexpr (kOp == ReduceOp::kMin) return a < b || a != a ? a : b;
  if constexpr (std::is_floating_point_v<A>) {
    if constexpr (kOp == ReduceOp::kAnd) return A(a != 0 && b != 0);
    return A(a != 0 || b != 0);
  } else {
    if constexpr (kOp == ReduceOp::kAnd) return static_cast<A>(a & b);
    return static_cast<A>(a | b);
  }
}

template <ReduceOp kOp, typename T, typename Out>
void ReduceTyped(std::span<const void* const> in, Out* out, int64_t count) {
  using A = Accumulator<T>;
  A sum[kBlock];
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t n = std::min(kBlock, count - at);
    const T* first = static_cast<const T*>(in[0]) + at;
    for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<A>(first[i]);
    for (size_t j = 1; j < in.size(); ++j) {
      const T* x = static_cast<const T*>(in[j]) + at;
      for (int64_t i = 0; i < n; ++i) sum[i] = Combine<kOp, A>(sum[i], static_cast<A>(x[i]));
    }
    for (int64_t i = 0; i < n; ++i) out[at + i] = static_cast<Out>(sum[i]);
  }
}

template <typename T, typename Out>
void ReduceAs(std::span<const void* const> in, Out* out, int64_t count, ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return ReduceTyped<ReduceOp::kSum, T>(in, out, count);
    case ReduceOp::kProd:
      return ReduceTyped<ReduceOp::kProd, T>(in, out, count);
    case ReduceOp::kMax:
      return ReduceTyped<ReduceOp::kMax, T>(in, out, count);
    case ReduceOp::kMin:
      return ReduceTyped<ReduceOp::kMin, T>(in, out, count);
    case ReduceOp::kAnd:
      return ReduceTyped<ReduceOp::kAnd, T>(in, out, count);
    case ReduceOp::kOr:
      return ReduceTyped<ReduceOp::kOr, T>(in, out, count);
  }
}

template <typename T>
T IdentityOf(ReduceOp op) {
  using A = Accumulator<T>;
  using Limits = std::numeric_limits<A>;
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kOr:
      return T(A(0));
    case ReduceOp::kProd:
      return T(A(1));
    case ReduceOp::kMax:
      if constexpr (kIsSmallInt<T>) return T(T::kLow);
      if constexpr (std::is_same_v<T, Float8E8M0>) return T();  // all numbers are positive
      if constexpr (kIsSmallFloat<T>) return T(-LargestOf(T::kForm));
      return T(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
    case ReduceOp::kMin:
      if constexpr (kIsSmallInt<T>) return T(T::kHigh);
      if constexpr (kIsSmallFloat<T>) return T(LargestOf(T::kForm));
      return T(Limits::has_infinity ? Limits::infinity() : Limits::max());
    case ReduceOp::kAnd:
      if constexpr (kIsSmallInt<T>) return T(-1);
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return static_cast<T>(~T(0));
      return T(A(1));
  }
  CHECK(false, "unknown reduction");
}

}  // namespace

void Reduce(std::span<const void* const> in,
            void* out,
            int64_t count,
            ElementType type,
            ElementType to,
            ReduceOp op) {
  CHECK(!in.empty(), "a reduction is of one or more");
  VisitElementType(type, [&](auto zero) {
    using T = decltype(zero);
    if (type == to) return ReduceAs<T>(in, static_cast<T*>(out), count, op);
    if constexpr (std::is_same_v<T, float>) {
      return VisitElementType(to, [&](auto narrow) {
        using To = decltype(narrow);
        if constexpr (kIsNarrow<To>) return ReduceAs<T>(in, static_cast<To*>(out), count, op);
        CHECK(false, "f32 is reduced to narrower floats only");
      });
    }
    if constexpr (kIsNarrow<T>)
      if (to == ElementType::kF32) return ReduceAs<T>(in, static_cast<float*>(out), count, op);
    CHECK(false, "a reduction between two types of which none is f32");
  });
}

void FillIdentity(void* out, int64_t count, ElementType type, ReduceOp op) {
  VisitElementType(type, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(out), count, IdentityOf<T>(op));
  });
}

}  // namespace metadist
