// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "metair/ir/tensor.h"
#include "metair/ops/pool.h"

namespace metadist {

// The first of the largest elements under a position of a window. place: its index in its plane;
// tap: its index in the window; both -1 if there is none. plane: index of the first element of its
// plane.
struct Greatest {
  int64_t plane = 0;
  int64_t place = -1;
  int64_t tap = -1;
};

// Calls visit(i, greatest) for each of `count` positions of a window over x.
template <typename T, typename Visit>
void ForEachGreatest(const Window& window, const Tensor& x, int64_t count, Visit&& visit) {
  ForEachPosition(window, count, [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
    const T* from = x.data<T>() + plane;
    Greatest best{plane};
    for (size_t t = 0; t < taps.size(); ++t)
      if (taps[t] >= 0 && (best.place < 0 || from[taps[t]] > from[best.place])) {
        best.place = taps[t];
        best.tap = static_cast<int64_t>(t);
      }
    visit(i, best);
  });
}

}  // namespace metadist
