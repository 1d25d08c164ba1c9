// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace metadist {

// An order of all numbers: NaN is greater than any other, as in NumPy and PyTorch.
template <typename T>
constexpr bool IsGreater(T a, T b) {
  return a > b || (a != a && b == b);
}

// Whether a is more extreme than b; NaN is the most extreme of all.
struct TowardsGreatest {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return IsGreater(a, b);
  }
};
struct TowardsLeast {
  template <typename T>
  constexpr bool operator()(T a, T b) const {
    return a < b || (a != a && b == b);
  }
};

}  // namespace metadist
