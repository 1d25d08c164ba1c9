// SPDX-License-Identifier: Apache-2.0
// A convolution is the product of the weights [outputs, inputs x window] with a matrix that holds
// the window of every pixel as a column. That matrix is as many times larger than the image as the
// window has taps; made for a few pixels at a time, it stays small and in the cache.
// Source: Chellapilla, Puri, Simard 2006, "High Performance Convolutional Neural Networks for
// Document Processing".
#include "executor/cpu/conv_tiles.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "executor/cpu/onednn.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kLeastTile = 16;                // pixels: one vector register
constexpr int64_t kLargestTileBytes = 256 << 10;  // the second cache holds it
constexpr int64_t kFloat = 4;

struct Planes {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // of one group
  int64_t height, width;              // of the input
  int64_t kernel_height, kernel_width;
  int64_t out_height, out_width;
  PlaneWindow window;

  int64_t taps() const { return in_channels * kernel_height * kernel_width; }
  int64_t pixels() const { return out_height * out_width; }
};

// One tap of the window on one input plane.
struct Tap {
  const float* plane;
  int64_t row;
  int64_t column;
};

// The quotient rounded up.
int64_t Quotient(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// out[t] = the input under the tap at output pixel first + t; 0 in the padding.
void Unfold(const Planes& p, const Tap& tap, int64_t first, int64_t count, float* out) {
  const PlaneWindow& w = p.window;
  for (int64_t t = 0; t < count;) {
    const int64_t y = (first + t) / p.out_width;
    const int64_t x = (first + t) % p.out_width;
    const int64_t run = std::min(count - t, p.out_width - x);
    const int64_t row = y * w.row_step - w.pad_top + tap.row * w.row_gap;
    const int64_t column = x * w.column_step - w.pad_left + tap.column * w.column_gap;
    // Pixels [begin, end) of the run lie inside the image.
    int64_t begin = std::clamp<int64_t>(Quotient(-column, w.column_step), 0, run);
    int64_t end = std::clamp<int64_t>(Quotient(p.width - column, w.column_step), begin, run);
    if (row < 0 || row >= p.height) begin = end = run;
    std::fill_n(out + t, begin, 0.0f);
    const float* line = tap.plane + row * p.width + column;
    if (w.column_step == 1 && end > begin)
      std::memcpy(out + t + begin, line + begin, static_cast<size_t>((end - begin) * kFloat));
    else
      for (int64_t i = begin; i < end; ++i) out[t + i] = line[i * w.column_step];
    std::fill_n(out + t + end, run - end, 0.0f);
    t += run;
  }
}

struct Tiled {
  Planes planes;
  bool bias = false;
  int64_t tile = 0;
  Runner full;
  Runner rest;  // of the last tile, where the pixels are no multiple of the tile
  int64_t columns_bytes = 0;

  Result<void> Run(const KernelArgs& args) const;
  Result<void> RunTile(const KernelArgs& args, int64_t image, int64_t group, int64_t first) const;
};

Result<void> Tiled::RunTile(const KernelArgs& args,
                            int64_t image,
                            int64_t group,
                            int64_t first) const {
  const Planes& p = planes;
  const int64_t count = std::min(tile, p.pixels() - first);
  const int64_t plane_of_group = image * p.groups + group;
  const float* x = reinterpret_cast<const float*>(args.inputs[0]) +
                   plane_of_group * p.in_channels * p.height * p.width;
  float* y = reinterpret_cast<float*>(args.outputs[0]) +
             plane_of_group * p.out_channels * p.pixels() + first;
  float* columns = reinterpret_cast<float*>(args.scratch);
  for (int64_t c = 0; c < p.in_channels; ++c)
    for (int64_t r = 0; r < p.kernel_height; ++r)
      for (int64_t k = 0; k < p.kernel_width; ++k, columns += count)
        Unfold(p, {x + c * p.height * p.width, r, k}, first, count, columns);
  if (bias) {
    const float* b = reinterpret_cast<const float*>(args.inputs[2]) + group * p.out_channels;
    for (int64_t o = 0; o < p.out_channels; ++o) std::fill_n(y + o * p.pixels(), count, b[o]);
  }
  const std::byte* weights = args.inputs[1] + group * p.out_channels * p.taps() * kFloat;
  const std::byte* in[] = {weights, args.scratch};
  std::byte* out[] = {reinterpret_cast<std::byte*>(y)};
  return (count == tile ? full : rest)({in, out, args.scratch + columns_bytes});
}

Result<void> Tiled::Run(const KernelArgs& args) const {
  for (int64_t image = 0; image < planes.batch; ++image)
    for (int64_t group = 0; group < planes.groups; ++group)
      for (int64_t first = 0; first < planes.pixels(); first += tile)
        TRY(RunTile(args, image, group, first));
  return {};
}

// y[out channels, count] (+)= w columns, where y is part of whole planes.
Prepared Product(const Planes& p, int64_t count, bool add) {
  const auto f32 = dnnl::memory::data_type::f32;
  const dnnl::memory::desc w({p.out_channels, p.taps()}, f32, dnnl::memory::dims{p.taps(), 1});
  const dnnl::memory::desc columns({p.taps(), count}, f32, dnnl::memory::dims{count, 1});
  const dnnl::memory::desc y({p.out_channels, count}, f32, dnnl::memory::dims{p.pixels(), 1});
  dnnl::primitive_attr attributes = UserScratchpad();
  if (add) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  const dnnl::matmul::primitive_desc desc({w, columns, y}, attributes, Engine());
  return BindOneDnn(
      dnnl::matmul(desc),
      desc.scratchpad_desc(),
      {{DNNL_ARG_SRC, w, 0}, {DNNL_ARG_WEIGHTS, columns, 1}, {DNNL_ARG_DST, y, -1, 0}});
}

Planes PlanesOf(const KernelSite& site, const PlaneWindow& window) {
  const Shape& x = site.shape(0);
  const Shape& w = site.shape(1);
  const Shape& y = site.out().shape;
  const int64_t groups = site.attributes().Int("group", 1);
  return {x[0], groups, w[1], w[0] / groups, x[2], x[3], w[2], w[3], y[2], y[3], window};
}

}  // namespace

int64_t ConvScratchLimit(const KernelSite& site) {
  int64_t bytes = site.out().bytes();
  for (const OpCall::Input& input : site.call->inputs)
    if (input.present) bytes += input.type.bytes();
  return std::max(bytes / 32, site.free_bytes);
}

Prepared ConvByTiles(const KernelSite& site, const PlaneWindow& window) {
  auto tiled = std::make_shared<Tiled>();
  tiled->planes = PlanesOf(site, window);
  tiled->bias = site.call->has(2);
  const Planes& p = tiled->planes;
  const int64_t fitting = std::min(ConvScratchLimit(site), kLargestTileBytes) /
                          (p.taps() * kFloat) / kLeastTile * kLeastTile;
  tiled->tile = std::min(std::max(fitting, kLeastTile), p.pixels());
  tiled->columns_bytes = (tiled->tile * p.taps() * kFloat + 63) / 64 * 64;
  Prepared full = Product(p, tiled->tile, tiled->bias);
  if (!full.ok()) return full;
  int64_t scratch = full.scratch_bytes;
  if (const int64_t rest = p.pixels() % tiled->tile; rest != 0) {
    Prepared last = Product(p, rest, tiled->bias);
    if (!last.ok()) return last;
    scratch = std::max(scratch, last.scratch_bytes);
    tiled->rest = std::move(last.run);
  }
  tiled->full = std::move(full.run);
  return Accept(
      "onednn tiles",
      [tiled](const KernelArgs& args) { return tiled->Run(args); },
      tiled->columns_bytes + scratch);
}

}  // namespace metadist::cpu
