// SPDX-License-Identifier: Apache-2.0
// The k best elements of each line. They are kept in the result arrays, as a heap whose root is the
// worst of them: most elements of a line are compared with the root only. Removing the roots one
// after the other leaves the best element first. O(n + m log k) for m elements that enter the heap.
#include <algorithm>

#include "executor/cpu/makers.h"
#include "metair/ops/extremes.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

// The k best so far. Of equal elements the first is better.
template <typename T>
struct Heap {
  T* value;
  int64_t* index;
  int64_t value_step, index_step;
  bool largest;

  bool Better(T a, T b) const { return largest ? IsGreater(a, b) : IsGreater(b, a); }
  bool Worse(int64_t a, int64_t b) const {
    const T left = value[a * value_step];
    const T right = value[b * value_step];
    if (Better(left, right) || Better(right, left)) return Better(right, left);
    return index[a * index_step] > index[b * index_step];
  }
  void Swap(int64_t a, int64_t b) {
    std::swap(value[a * value_step], value[b * value_step]);
    std::swap(index[a * index_step], index[b * index_step]);
  }
  void Set(int64_t at, T x, int64_t place) {
    value[at * value_step] = x;
    index[at * index_step] = place;
  }
  // Sinks an element until no child is worse.
  void Sink(int64_t at, int64_t count) {
    while (2 * at + 1 < count) {
      int64_t child = 2 * at + 1;
      if (child + 1 < count && Worse(child + 1, child)) ++child;
      if (!Worse(child, at)) return;
      Swap(at, child);
      at = child;
    }
  }
};

struct Lines : AxisSplit {
  int64_t k = 0;
  bool largest = true;
};

template <typename T>
void Select(const Lines& lines, const T* x, int64_t step, Heap<T> best) {
  for (int64_t i = 0; i < lines.k; ++i) best.Set(i, x[i * step], i);
  for (int64_t i = lines.k / 2; i-- > 0;) best.Sink(i, lines.k);
  for (int64_t i = lines.k; i < lines.size; ++i)
    if (best.Better(x[i * step], best.value[0])) {
      best.Set(0, x[i * step], i);
      best.Sink(0, lines.k);
    }
  for (int64_t count = lines.k; count-- > 1;) {
    best.Swap(0, count);
    best.Sink(0, count);
  }
}

template <typename T>
Prepared Bind(const Lines& lines) {
  // Indices, in case that output is not requested.
  const int64_t scratch = lines.k * ByteSize(ElementType::kI64);
  return Accept(
      "heap",
      [lines](const KernelArgs& args) {
        const T* const x = args.in<T>(0);
        const bool indexed = args.out_or_null(1) != nullptr;
        auto* const index = reinterpret_cast<int64_t*>(indexed ? args.outputs[1] : args.scratch);
        T* const value = args.out<T>();
        for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
          const int64_t o = line / lines.inner;
          const int64_t i = line % lines.inner;
          const int64_t to = o * lines.k * lines.inner + i;
          Select(lines,
                 x + o * lines.size * lines.inner + i,
                 lines.inner,
                 Heap<T>{value + to,
                         indexed ? index + to : index,
                         lines.inner,
                         indexed ? lines.inner : 1,
                         lines.largest});
        }
      },
      scratch);
}

}  // namespace

Prepared TopK(const KernelSite& site) {
  const auto axis = site.Axis(-1);
  if (!axis.ok()) return Decline(axis.error().message);
  Lines lines = {SplitAround(site.shape(0), axis.value())};
  lines.k = site.out().shape[static_cast<size_t>(axis.value())];
  lines.largest = site.attributes().Int("largest", 1) != 0;
  if (lines.k == 0) return Decline("nothing to do");
  return ForTypes<float, int32_t, int64_t>(site.element(0),
                                           [&](auto zero) { return Bind<decltype(zero)>(lines); });
}

}  // namespace metadist::cpu
