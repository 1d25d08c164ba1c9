// SPDX-License-Identifier: Apache-2.0
// The index of the largest or smallest element of each line; NaN is the most extreme.
#include "executor/cpu/makers.h"
#include "metair/ops/extremes.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

struct Lines : AxisSplit {
  bool last = false;  // of equal elements, pick the last
};

template <typename T, typename Better>
void Run(const Lines& lines, const T* x, int64_t* y, Better better) {
  for (int64_t o = 0; o < lines.outer; ++o, x += lines.size * lines.inner)
    for (int64_t i = 0; i < lines.inner; ++i, ++y) {
      T best = x[i];
      int64_t place = 0;
      for (int64_t k = 1; k < lines.size; ++k) {
        const T value = x[k * lines.inner + i];
        const bool taken = better(value, best) || (lines.last && !better(best, value));
        best = taken ? value : best;
        place = taken ? k : place;
      }
      *y = place;
    }
}

template <typename T>
Prepared Bind(const Lines& lines, bool greatest) {
  return Accept("lines", [lines, greatest](const KernelArgs& args) {
    const T* const x = args.in<T>(0);
    auto* const y = args.out<int64_t>();
    if (greatest)
      Run(lines, x, y, TowardsGreatest());
    else
      Run(lines, x, y, TowardsLeast());
  });
}

Prepared PrepareExtreme(const KernelSite& site, bool greatest) {
  const auto axis = site.Axis(0);
  if (!axis.ok()) return Decline(axis.error().message);
  Lines lines = {SplitAround(site.shape(0), axis.value())};
  lines.last = site.attributes().Int("select_last_index", 0) != 0;
  if (lines.size == 0) return Decline("nothing to choose from");
  return ForTypes<float, int32_t, int64_t>(
      site.element(0), [&](auto zero) { return Bind<decltype(zero)>(lines, greatest); });
}

}  // namespace

Prepared ArgMax(const KernelSite& site) { return PrepareExtreme(site, true); }
Prepared ArgMin(const KernelSite& site) { return PrepareExtreme(site, false); }

}  // namespace metadist::cpu
