// SPDX-License-Identifier: Apache-2.0
// Running sums along an axis. If the axis is not the last dim, whole rows are added to rows.
#include "metair/ops/cumulative.h"

#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

struct Lines : AxisSplit {
  bool exclusive = false;
  bool reverse = false;
};

// Signed integers wrap.
template <typename T>
T Plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

template <typename T>
void Run(const Lines& lines, const T* x, T* y) {
  const int64_t n = lines.inner;
  const int64_t step = lines.reverse ? -n : n;
  for (int64_t o = 0; o < lines.outer; ++o, x += lines.size * n, y += lines.size * n) {
    const int64_t first = lines.reverse ? (lines.size - 1) * n : 0;
    const T* from = x + first;
    T* to = y + first;
    for (int64_t i = 0; i < n; ++i) to[i] = lines.exclusive ? T(0) : from[i];
    for (int64_t k = 1; k < lines.size; ++k, from += step, to += step) {
      const T* const next = lines.exclusive ? from : from + step;
      T* const result = to + step;
      for (int64_t i = 0; i < n; ++i) result[i] = Plus(to[i], next[i]);
    }
  }
}

template <typename T>
Prepared Bind(const Lines& lines) {
  return Accept("rows", [lines](const KernelArgs& args) {
    if (lines.outer * lines.size * lines.inner > 0) Run(lines, args.in<T>(0), args.out<T>());
  });
}

}  // namespace

Prepared CumSum(const KernelSite& site) {
  const auto axis = CumulativeAxis(*site.call);
  if (!axis.ok()) return Decline(axis.error().message);
  Lines lines = {SplitAround(site.shape(0), axis.value())};
  lines.exclusive = site.attributes().Int("exclusive", 0) != 0;
  lines.reverse = site.attributes().Int("reverse", 0) != 0;
  return ForTypes<float, double, int32_t, int64_t>(
      site.element(0), [&](auto zero) { return Bind<decltype(zero)>(lines); });
}

}  // namespace metadist::cpu
