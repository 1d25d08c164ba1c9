// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions: the product of a few rows of pixels with the weights of all taps is a
// single matrix product, whose rows are added to the rows of the result at the positions of the
// taps. Rows of small images go together, so that the product is wide enough; as many filters are
// processed at a time as the scratch memory can hold products of (oneDNN unfolds whole images of
// this layout instead).
//
//   [filters * taps, pixels] = weight[channels, filters * taps]^T x[channels, pixels]
#include <algorithm>
#include <memory>

#include "executor/cpu/makers.h"
#include "executor/cpu/panel_product.h"
#include "executor/cpu/plain_product.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/window.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kFloat = 4;

// y[j * step] += x[j].
METADIST_MULTIVERSION
void AddSpaced(const float* x, float* y, int64_t step, int64_t count) {
  if (step == 1)
    for (int64_t j = 0; j < count; ++j) y[j] += x[j];
  else if (step == 2)
    for (int64_t j = 0; j < count; ++j) y[2 * j] += x[j];
  else
    for (int64_t j = 0; j < count; ++j) y[j * step] += x[j];
}

struct Spread {
  int64_t batch = 0, groups = 1;
  int64_t channels = 0, filters = 0;  // per group
  int64_t rows = 1, pixels = 1;       // of x: product of all spatial dims but the last, and the
                                      // last
  int64_t row_taps = 1, taps = 1;     // the same of the window
  std::vector<int64_t> target;        // by row of x and row tap: the row of y, negative if outside
  int64_t y_rows = 1, y_pixels = 1;
  int64_t step = 1, gap = 1, before = 0;  // along the last dim
  int64_t lines = 1;                      // rows of x per product
  int64_t together = 1;                   // filters per product
  int64_t product_bytes = 0;              // of scratch, after the product

  int64_t window() const { return row_taps * taps; }
  int64_t plane() const { return y_rows * y_pixels; }
  int64_t sum_bytes() const {
    return (together * window() * lines * pixels * kFloat + 63) / 64 * 64;
  }

  // Adds one row of the products of one filter, which are `width` apart, to its plane.
  void Add(int64_t row, const float* product, int64_t width, float* y) const {
    for (int64_t tap = 0; tap < window(); ++tap, product += width) {
      const int64_t to = target[static_cast<size_t>(row * row_taps + tap / taps)];
      if (to < 0) continue;
      const int64_t shift = tap % taps * gap - before;  // of pixel 0
      const int64_t begin = shift >= 0 ? 0 : (-shift + step - 1) / step;
      const int64_t room = y_pixels - shift;
      const int64_t end = std::min(pixels, room <= 0 ? 0 : (room + step - 1) / step);
      if (begin < end)
        AddSpaced(product + begin, y + to * y_pixels + shift + begin * step, step, end - begin);
    }
  }

  void Run(const KernelArgs& args) const {
    const auto* const x = reinterpret_cast<const float*>(args.inputs[0]);
    const auto* const weight = reinterpret_cast<const float*>(args.inputs[1]);
    const bool biased = args.inputs.size() > 2 && args.inputs[2] != nullptr;
    auto* const y = reinterpret_cast<float*>(args.outputs[0]);
    auto* const sums = reinterpret_cast<float*>(args.scratch);
    for (int64_t f = 0; f < batch * groups * filters; ++f)
      std::fill_n(
          y + f * plane(),
          plane(),
          biased ? reinterpret_cast<const float*>(args.inputs[2])[f % (groups * filters)] : 0.0f);
    PlainProduct product;
    product.k = channels;
    product.a_row = 1;
    product.a_column = filters * window();
    product.b_row = rows * pixels;
    for (int64_t image = 0; image < batch * groups; ++image)
      for (int64_t first = 0; first < filters; first += together)
        for (int64_t row = 0; row < rows; row += lines) {
          const int64_t some = std::min(together, filters - first);
          const int64_t some_rows = std::min(lines, rows - row);
          product.m = some * window();
          product.n = some_rows * pixels;
          product.Run(weight + (image % groups * channels * filters + first) * window(),
                      x + (image * channels * rows + row) * pixels,
                      sums,
                      reinterpret_cast<float*>(args.scratch + sum_bytes()),
                      product_bytes);
          for (int64_t f = 0; f < some; ++f)
            for (int64_t r = 0; r < some_rows; ++r)
              Add(row + r,
                  sums + f * window() * product.n + r * pixels,
                  product.n,
                  y + (image * filters + first + f) * plane());
        }
  }
};

}  // namespace

Prepared ConvTranspose(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Shape& x = site.shape(0);
  const Shape& weight = site.shape(1);
  if (NumElements(x) == 0 || NumElements(weight) == 0 || NumElements(site.out().shape) == 0)
    return Decline("an empty operand");
  const auto made = TransposedWindowOf(
      site.attributes(), {x.begin() + 2, x.end()}, {weight.begin() + 2, weight.end()});
  if (!made.ok()) return Decline(made.error().message);
  const Window& window = made.value();
  auto spread = std::make_shared<Spread>();
  spread->batch = x[0];
  spread->groups = site.attributes().Int("group", 1);
  spread->channels = x[1] / spread->groups;
  spread->filters = weight[1];
  const Window rows = RowsOf(window);
  spread->rows = NumElements(rows.output);
  spread->row_taps = NumElements(rows.kernel);
  spread->y_rows = NumElements(rows.input);
  spread->target = rows.input.empty() ? std::vector<int64_t>{0} : TapsOf(rows);
  spread->pixels = window.output.back();
  spread->taps = window.kernel.back();
  spread->y_pixels = window.input.back();
  spread->step = window.strides.back();
  spread->gap = window.dilations.back();
  spread->before = window.pads_begin.back();
  const int64_t strip = kPanelColumns * kFloat;
  const int64_t limit = ScratchLimit(site);
  constexpr int64_t kDepth = 256;  // of a strip
  spread->product_bytes =
      std::clamp(limit / 4 / strip, int64_t{8}, std::clamp(spread->channels, int64_t{8}, kDepth)) *
      strip;
  constexpr int64_t kCached = 256 << 10;
  constexpr int64_t kColumns = 256;  // of a wide product
  const int64_t room = std::min(limit, kCached) - spread->product_bytes;
  const int64_t line = spread->window() * spread->pixels * kFloat;
  spread->lines =
      std::clamp(std::min(kColumns / spread->pixels, room / line), int64_t{1}, spread->rows);
  const int64_t one = line * spread->lines;
  spread->together = std::clamp(room / one, int64_t{1}, spread->filters);
  return Accept(
      "rows",
      [spread](const KernelArgs& args) -> Result<void> {
        spread->Run(args);
        return {};
      },
      spread->sum_bytes() + spread->product_bytes);
}

}  // namespace metadist::cpu
