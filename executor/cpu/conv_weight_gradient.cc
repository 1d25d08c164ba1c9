// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution's weight: by oneDNN on row-major images, or, where its scratch
// memory is more than may be used, in parts. A part is some positions of the window and some
// channels: what the window sees there is unfolded, and one matrix product adds it to the result:
//
//   dw[filters, channels * taps] += dy[filters, positions] unfolded[positions, channels * taps]
#include <algorithm>
#include <memory>
#include <vector>

#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/plain_product.h"
#include "metair/ops/window.h"

namespace metadist::cpu {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

constexpr int64_t kFloat = 4;

Desc DenseDesc(const Dims& dims) {
  return {dims, dnnl::memory::data_type::f32, Strides(Shape(dims))};
}

Prepared Bind(const KernelSite& site, const Window& window) {
  const int64_t groups = site.attributes().Int("group", 1);
  const Shape& weight = site.out().shape;
  Dims by_group(weight.begin(), weight.end());
  if (groups > 1) {
    by_group[0] /= groups;
    by_group.insert(by_group.begin(), groups);
  }
  const Desc x = DenseDesc(Dims(site.shape(0)));
  const Desc w = DenseDesc(by_group);
  const Desc y = DenseDesc(Dims(site.shape(1)));
  Dims gaps = window.dilations;  // elements between taps
  for (int64_t& gap : gaps) --gap;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc forward({dnnl::prop_kind::forward_training,
                                                           kDirect,
                                                           x,
                                                           w,
                                                           y,
                                                           window.strides,
                                                           gaps,
                                                           window.pads_begin,
                                                           window.pads_end},
                                                          UserScratchpad(),
                                                          Engine());
  const dnnl::convolution_backward_weights::primitive_desc desc(
      {kDirect, x, w, y, window.strides, gaps, window.pads_begin, window.pads_end},
      UserScratchpad(),
      Engine(),
      forward);
  if (IsSlow(desc)) return Decline("oneDNN has only its plain loops for it");
  if (static_cast<int64_t>(desc.scratchpad_desc().get_size()) > ScratchLimit(site))
    return Decline("oneDNN needs more scratch memory than may be used");
  return BindOneDnn(
      dnnl::convolution_backward_weights(desc),
      desc.scratchpad_desc(),
      {{DNNL_ARG_SRC, x, 0}, {DNNL_ARG_DIFF_DST, y, 1}, {DNNL_ARG_DIFF_WEIGHTS, w, -1, 0}});
}

Result<Window> WindowOfCall(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return BadInput("", "f32 only");
  const Shape& x = site.shape(0);
  const Shape& dy = site.shape(1);
  if (NumElements(x) == 0 || NumElements(dy) == 0) return BadInput("", "an empty operand");
  Window window = TRY(WindowOf(
      site.attributes(), {x.begin() + 2, x.end()}, site.attributes().Ints("kernel_shape")));
  if (window.output != Shape(dy.begin() + 2, dy.end()))
    return BadInput("", "dy does not have the positions of the window");
  return window;
}

struct Unfolding {
  int64_t batch = 0, groups = 1;
  int64_t channels = 0, filters = 0;      // per group
  int64_t x_plane = 0, x_pixels = 0;      // of one channel, and its last dim
  int64_t positions = 0, pixels = 0;      // the same of dy
  int64_t taps = 0, row_taps = 0;         // of the window, and of all its dims but the last
  std::vector<int64_t> rows;              // by row of dy and row tap: the row of x, or negative
  int64_t step = 1, gap = 1, before = 0;  // along the last dim
  int64_t together = 1;                   // channels of a part
  int64_t part = 1;                       // positions of a part
  int64_t product_bytes = 0;              // of scratch, after the unfolded part

  int64_t width() const { return together * taps; }
  int64_t unfolded_bytes() const { return (part * width() * kFloat + 63) / 64 * 64; }

  // Element (position, channel, tap) of some channels of x, from a position on.
  void Unfold(const float* x, int64_t some, int64_t from, int64_t count, float* out) const {
    const int64_t line = taps / row_taps;
    for (int64_t p = from; p < from + count; ++p, out += some * taps) {
      const int64_t* const row = rows.data() + p / pixels * row_taps;
      const int64_t first = p % pixels * step - before;
      for (int64_t c = 0; c < some; ++c)
        for (int64_t r = 0; r < row_taps; ++r) {
          float* const to = out + c * taps + r * line;
          if (row[r] < 0) {
            std::fill_n(to, line, 0.0f);
            continue;
          }
          const float* const from_row = x + c * x_plane + row[r] * x_pixels;
          for (int64_t t = 0; t < line; ++t) {
            const int64_t at = first + t * gap;
            to[t] = at >= 0 && at < x_pixels ? from_row[at] : 0.0f;
          }
        }
    }
  }

  void Run(const KernelArgs& args) const {
    const auto* const x = reinterpret_cast<const float*>(args.inputs[0]);
    const auto* const dy = reinterpret_cast<const float*>(args.inputs[1]);
    auto* const dw = reinterpret_cast<float*>(args.outputs[0]);
    auto* const unfolded = reinterpret_cast<float*>(args.scratch);
    auto* const rest = reinterpret_cast<float*>(args.scratch + unfolded_bytes());
    PlainProduct product;
    product.m = filters;
    product.a_row = positions;
    product.y_row = channels * taps;
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t c = 0; c < channels; c += together) {
        const int64_t some = std::min(together, channels - c);
        product.n = product.b_row = some * taps;
        product.beta = 0;
        for (int64_t image = 0; image < batch; ++image)
          for (int64_t p = 0; p < positions; p += part) {
            product.k = std::min(part, positions - p);
            Unfold(
                x + ((image * groups + g) * channels + c) * x_plane, some, p, product.k, unfolded);
            product.Run(dy + (image * groups + g) * filters * positions + p,
                        unfolded,
                        dw + g * filters * channels * taps + c * taps,
                        rest,
                        product_bytes);
            product.beta = 1;
          }
      }
  }
};

}  // namespace

Prepared ConvWeightGradient(const KernelSite& site) {
  const auto window = WindowOfCall(site);
  if (!window.ok()) return Decline(window.error().message);
  if (site.shape(0).size() > 5) return Decline("one to three spatial dims only");
  return CatchOneDnn([&] { return Bind(site, window.value()); });
}

Prepared ConvWeightGradientInParts(const KernelSite& site) {
  const auto made = WindowOfCall(site);
  if (!made.ok()) return Decline(made.error().message);
  const Window& window = made.value();
  const Window rows = RowsOf(window);
  const Shape& x = site.shape(0);
  auto u = std::make_shared<Unfolding>();
  u->batch = x[0];
  u->groups = site.attributes().Int("group", 1);
  u->channels = x[1] / u->groups;
  u->filters = site.shape(1)[1] / u->groups;
  u->x_plane = NumElements(window.input);
  u->x_pixels = window.input.back();
  u->positions = NumElements(window.output);
  u->pixels = window.output.back();
  u->taps = NumElements(window.kernel);
  u->row_taps = NumElements(rows.kernel);
  u->rows = rows.input.empty() ? std::vector<int64_t>{0} : TapsOf(rows);
  u->step = window.strides.back();
  u->gap = window.dilations.back();
  u->before = window.pads_begin.back();
  // Wide parts of a few positions: rows of dw are then read and written seldom.
  constexpr int64_t kWidth = 256;
  constexpr int64_t kCached = 256 << 10;
  const int64_t limit = std::min(ScratchLimit(site), kCached) * 3 / 4;
  u->together =
      std::clamp(std::min(kWidth, limit / (8 * kFloat)) / u->taps, int64_t{1}, u->channels);
  u->part = std::clamp(limit / (u->width() * kFloat), int64_t{1}, u->positions);
  PlainProduct product{
      .m = u->filters, .n = u->width(), .k = u->part, .a_row = u->positions, .b_row = u->width()};
  u->product_bytes = product.ScratchBytes(limit / 3);
  return Accept(
      "parts",
      [u](const KernelArgs& args) -> Result<void> {
        u->Run(args);
        return {};
      },
      u->unfolded_bytes() + u->product_bytes);
}

}  // namespace metadist::cpu
