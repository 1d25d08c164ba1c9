// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "metair/ir/tensor.h"
#include "metair/ops/pool.h"

namespace metadist {

// Calls visit(i, plane, best) for each of `count` positions of a window over x: plane = index of
// the first element of its plane, best = where in the plane the first of the greatest elements
// under the window lies, -1 where there is none.
template <typename T, typename Visit>
void ForEachGreatest(const Window& window, const Tensor& x, int64_t count, Visit&& visit) {
  ForEachPosition(window, count, [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
    const T* from = x.data<T>() + plane;
    int64_t best = -1;
    for (int64_t at : taps)
      if (at >= 0 && (best < 0 || from[at] > from[best])) best = at;
    visit(i, plane, best);
  });
}

// Such a place where the first spatial dim is the fastest, if the call says so (storage_order = 1).
int64_t PlaceInPlane(const OpCall& call, const Window& window, int64_t best);

}  // namespace metadist
