// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/multiversion.h"

namespace metadist {

// The larger of two; NaN if either is NaN.
template <typename T>
METADIST_INLINE T Larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
METADIST_INLINE T Smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

// An order of all numbers: NaN is greater than any other, as in NumPy and PyTorch.
struct TowardsGreatest {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return a > b || (a != a && b == b);
  }
};
// The same with NaN less than any other.
struct TowardsLeast {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return a < b || (a != a && b == b);
  }
};

template <typename T>
constexpr bool IsGreater(T a, T b) {
  return TowardsGreatest()(a, b);
}

}  // namespace metadist
