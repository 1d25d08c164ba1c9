// SPDX-License-Identifier: Apache-2.0
// The index of the largest or smallest element of each line. NaN is handled as in the reference
// kernel: every comparison with it is false.
#include "executor/cpu/makers.h"
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
        const bool taken = better(value, best) || (lines.last && value == best);
        best = taken ? value : best;
        place = taken ? k : place;
      }
      *y = place;
    }
}

template <typename T>
Prepared Bind(const Lines& lines, bool greatest) {
  return Accept("lines", [lines, greatest](const KernelArgs& args) -> Result<void> {
    const T* const x = reinterpret_cast<const T*>(args.inputs[0]);
    auto* const y = reinterpret_cast<int64_t*>(args.outputs[0]);
    if (greatest)
      Run(lines, x, y, [](T a, T b) { return a > b; });
    else
      Run(lines, x, y, [](T a, T b) { return a < b; });
    return {};
  });
}

Prepared PrepareExtreme(const KernelSite& site, bool greatest) {
  const Shape& shape = site.shape(0);
  const auto axis =
      NormalizeAxis(site.attributes().Int("axis", 0), static_cast<int64_t>(shape.size()));
  if (!axis.ok()) return Decline(axis.error().message);
  Lines lines = {SplitAround(shape, axis.value())};
  lines.last = site.attributes().Int("select_last_index", 0) != 0;
  if (lines.size == 0) return Decline("nothing to choose from");
  switch (site.element(0)) {
    case ElementType::kF32:
      return Bind<float>(lines, greatest);
    case ElementType::kI32:
      return Bind<int32_t>(lines, greatest);
    case ElementType::kI64:
      return Bind<int64_t>(lines, greatest);
    default:
      return Decline("no loop for this element type");
  }
}

}  // namespace

Prepared ArgMax(const KernelSite& site) { return PrepareExtreme(site, true); }
Prepared ArgMin(const KernelSite& site) { return PrepareExtreme(site, false); }

}  // namespace metadist::cpu
