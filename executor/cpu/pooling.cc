// SPDX-License-Identifier: Apache-2.0
// The maximum or the mean under each position of a window over one to three spatial dims. Rows of
// results are computed tap by tap: each tap of the window is one loop over a row of x.
#include <algorithm>
#include <limits>
#include <memory>

#include "executor/cpu/layout.h"
#include "executor/cpu/makers.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/window.h"

namespace metadist::cpu {
namespace {

// One spatial dim: which taps fall on the input for each position.
struct Line {
  int64_t input = 1, output = 1, kernel = 1;
  int64_t step = 1, gap = 1, before = 0;
  std::vector<int64_t> counted;  // by position: the number of taps in a mean

  int64_t At(int64_t position, int64_t tap) const { return position * step - before + tap * gap; }
  // Positions [begin, end) at which a tap falls on the input.
  int64_t Begin(int64_t tap) const {
    const int64_t missing = before - tap * gap;
    return std::clamp<int64_t>(missing <= 0 ? 0 : (missing + step - 1) / step, 0, output);
  }
  int64_t End(int64_t tap) const {
    const int64_t room = input + before - tap * gap;
    return std::clamp<int64_t>(room <= 0 ? 0 : (room + step - 1) / step, 0, output);
  }
};

Line LineOf(const Window& window, size_t dim, bool count_padding) {
  Line line;
  line.input = window.input[dim];
  line.output = window.output[dim];
  line.kernel = window.kernel[dim];
  line.step = window.strides[dim];
  line.gap = window.dilations[dim];
  line.before = window.pads_begin[dim];
  const int64_t low = count_padding ? -line.before : 0;
  const int64_t high = line.input + (count_padding ? window.pads_end[dim] : 0);
  for (int64_t position = 0; position < line.output; ++position) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < line.kernel; ++tap) {
      const int64_t at = line.At(position, tap);
      if (at >= low && at < high) ++count;
    }
    line.counted.push_back(count);
  }
  return line;
}

struct Pool {
  int64_t planes = 0;    // or images
  int64_t channels = 1;  // if channels-last
  Line slices;           // of rows
  Line rows;
  Line columns;
};

// y[j] = f(y[j], x[j * step]).
template <typename Function>
METADIST_INLINE void Fold(const float* x, int64_t step, float* y, int64_t count, Function f) {
  if (step == 1)
    for (int64_t j = 0; j < count; ++j) y[j] = f(y[j], x[j]);
  else if (step == 2)
    for (int64_t j = 0; j < count; ++j) y[j] = f(y[j], x[j * 2]);
  else
    for (int64_t j = 0; j < count; ++j) y[j] = f(y[j], x[j * step]);
}

// Calls f with each slice of x under the window, until f returns true.
template <typename Function>
METADIST_INLINE void ForEachSlice(const Pool& p, const float* x, int64_t slice, Function f) {
  for (int64_t tap = 0; tap < p.slices.kernel; ++tap) {
    const int64_t from = p.slices.At(slice, tap);
    if (from < 0 || from >= p.slices.input) continue;
    if (f(x + from * p.rows.input * p.columns.input)) return;
  }
}

// Folds every tap that falls on the input into the row of results.
template <typename Function>
METADIST_INLINE void FoldRow(const Pool& p, const float* plane, int64_t row, float* y, Function f) {
  for (int64_t down = 0; down < p.rows.kernel; ++down) {
    const int64_t from = p.rows.At(row, down);
    if (from < 0 || from >= p.rows.input) continue;
    for (int64_t right = 0; right < p.columns.kernel; ++right) {
      const int64_t begin = p.columns.Begin(right);
      const int64_t end = p.columns.End(right);
      const float* x = plane + from * p.columns.input + p.columns.At(begin, right);
      Fold(x, p.columns.step, y + begin, end - begin, f);
    }
  }
}

// Starts from the first element under each position, because a NaN there must stay: no comparison
// replaces it.
METADIST_INLINE bool TakeFirst(const Pool& p, const float* plane, int64_t row, float* y) {
  for (int64_t down = 0; down < p.rows.kernel; ++down) {
    const int64_t from = p.rows.At(row, down);
    if (from < 0 || from >= p.rows.input) continue;
    for (int64_t right = p.columns.kernel; right-- > 0;) {
      const int64_t begin = p.columns.Begin(right);
      const int64_t end = p.columns.End(right);
      const float* x = plane + from * p.columns.input + p.columns.At(begin, right);
      Fold(x, p.columns.step, y + begin, end - begin, [](float, float b) { return b; });
    }
    return true;
  }
  return false;
}

METADIST_MULTIVERSION
void Greatest(const Pool& p, const float* x, float* y) {
  const int64_t volume = p.slices.input * p.rows.input * p.columns.input;
  for (int64_t plane = 0; plane < p.planes; ++plane, x += volume)
    for (int64_t slice = 0; slice < p.slices.output; ++slice)
      for (int64_t row = 0; row < p.rows.output; ++row, y += p.columns.output) {
        std::fill_n(y, p.columns.output, -std::numeric_limits<float>::infinity());
        ForEachSlice(p, x, slice, [&](const float* from) { return TakeFirst(p, from, row, y); });
        ForEachSlice(p, x, slice, [&](const float* from) {
          FoldRow(p, from, row, y, [](float a, float b) { return b > a ? b : a; });
          return false;
        });
      }
}

METADIST_MULTIVERSION
void Mean(const Pool& p, const float* x, float* y) {
  const int64_t volume = p.slices.input * p.rows.input * p.columns.input;
  for (int64_t plane = 0; plane < p.planes; ++plane, x += volume)
    for (int64_t slice = 0; slice < p.slices.output; ++slice)
      for (int64_t row = 0; row < p.rows.output; ++row, y += p.columns.output) {
        std::fill_n(y, p.columns.output, 0.0f);
        ForEachSlice(p, x, slice, [&](const float* from) {
          FoldRow(p, from, row, y, [](float a, float b) { return a + b; });
          return false;
        });
        const int64_t deep = p.slices.counted[static_cast<size_t>(slice)];
        const int64_t down = deep * p.rows.counted[static_cast<size_t>(row)];
        for (int64_t j = 0; j < p.columns.output; ++j)
          y[j] /= static_cast<float>(down * p.columns.counted[static_cast<size_t>(j)]);
      }
}

// The same for pixels of `channels` elements each, both arrays channels-last. Each tap is a loop
// over channels.
template <typename Function>
METADIST_INLINE void FoldPixel(
    const Pool& p, const float* image, int64_t row, int64_t column, float* y, Function f) {
  for (int64_t down = 0; down < p.rows.kernel; ++down) {
    const int64_t i = p.rows.At(row, down);
    if (i < 0 || i >= p.rows.input) continue;
    for (int64_t right = 0; right < p.columns.kernel; ++right) {
      const int64_t j = p.columns.At(column, right);
      if (j < 0 || j >= p.columns.input) continue;
      f(image + (i * p.columns.input + j) * p.channels, y);
    }
  }
}

METADIST_MULTIVERSION
void GreatestPixels(const Pool& p, const float* x, float* y) {
  const int64_t n = p.channels;
  for (int64_t image = 0; image < p.planes; ++image, x += p.rows.input * p.columns.input * n)
    for (int64_t row = 0; row < p.rows.output; ++row)
      for (int64_t column = 0; column < p.columns.output; ++column, y += n) {
        bool first = true;
        FoldPixel(p, x, row, column, y, [&first, n](const float* from, float* to) {
          if (first)
            for (int64_t c = 0; c < n; ++c) to[c] = from[c];
          else
            for (int64_t c = 0; c < n; ++c) to[c] = from[c] > to[c] ? from[c] : to[c];
          first = false;
        });
        if (first) std::fill_n(y, n, -std::numeric_limits<float>::infinity());
      }
}

METADIST_MULTIVERSION
void MeanPixels(const Pool& p, const float* x, float* y) {
  const int64_t n = p.channels;
  for (int64_t image = 0; image < p.planes; ++image, x += p.rows.input * p.columns.input * n)
    for (int64_t row = 0; row < p.rows.output; ++row)
      for (int64_t column = 0; column < p.columns.output; ++column, y += n) {
        std::fill_n(y, n, 0.0f);
        FoldPixel(p, x, row, column, y, [n](const float* from, float* to) {
          for (int64_t c = 0; c < n; ++c) to[c] += from[c];
        });
        const auto count = static_cast<float>(p.rows.counted[static_cast<size_t>(row)] *
                                              p.columns.counted[static_cast<size_t>(column)]);
        for (int64_t c = 0; c < n; ++c) y[c] /= count;
      }
}

Prepared Bind(const KernelSite& site, bool mean) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  if (site.outputs.size() > 1) return Decline("it does not return indices");
  const Shape& shape = site.shape(0);
  const bool last = site.strided(0);
  if (last != !site.out_strides.empty() ||
      (last && (!ReadsChannelsLast(site) || !WritesChannelsLast(site))))
    return Decline("operand and result must have one layout");
  if (shape.size() < 3 || shape.size() > (last ? 4 : 5))
    return Decline("more than three spatial dims");
  const auto window = WindowOf(
      site.attributes(), {shape.begin() + 2, shape.end()}, site.attributes().Ints("kernel_shape"));
  if (!window.ok()) return Decline(window.error().message);
  const bool count_padding = site.attributes().Int("count_include_pad", 0) != 0;
  auto pool = std::make_shared<Pool>();
  pool->planes = shape[0] * (last ? 1 : shape[1]);
  pool->channels = last ? shape[1] : 1;
  pool->slices.counted = pool->rows.counted = {1};
  if (shape.size() > 4) pool->slices = LineOf(window.value(), shape.size() - 5, count_padding);
  if (shape.size() > 3) pool->rows = LineOf(window.value(), shape.size() - 4, count_padding);
  pool->columns = LineOf(window.value(), shape.size() - 3, count_padding);
  const auto function = last ? (mean ? MeanPixels : GreatestPixels) : (mean ? Mean : Greatest);
  return Accept(last ? "pixels" : "rows", [pool, function](const KernelArgs& args) {
    function(*pool, args.in(0), args.out());
  });
}

}  // namespace

Prepared MaxPool(const KernelSite& site) { return Bind(site, /*mean=*/false); }
Prepared AveragePool(const KernelSite& site) { return Bind(site, /*mean=*/true); }

}  // namespace metadist::cpu
