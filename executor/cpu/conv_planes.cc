// SPDX-License-Identifier: Apache-2.0
// Convolutions over planes in ONNX layout: [batch, channels, rows, columns].
//
// Problem: for each element (tap) of the window, a convolution is a product of weights with the
// shifted image. Unfolding the image makes it a single product, but copies every pixel once per
// tap, and libraries do that for whole images.
//
// Approach: a tile of the image is copied once, with its padding, into planes from which every tap
// reads whole vectors at its own shift. A strided window reads every row_step-th row and every
// column_step-th column: the tile is then split into one plane for each remainder (phase) that a
// tap uses, in which the pixels of one tap are contiguous. Rows of results are computed either one
// by one, or as one line through the whole tile, whose surplus at row ends is discarded; whichever
// takes fewer vectors. The tile and its number of channels are reduced until they fit into the
// scratch memory; results of several groups of channels are accumulated in y.
//
// Complexity: the multiplications of the convolution, plus one copy of the image and of the
// overlaps between tiles. Source: Zhang, Franchetti, Low 2018, "High Performance Zero-Memory
// Overhead Direct Convolutions", but without changing the layout.
#include "executor/cpu/conv_planes.h"

#include <algorithm>
#include <memory>

#include "executor/cpu/panel_product.h"
#include "executor/cpu/plain_product.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kFloat = 4;
constexpr int64_t kVector = 16;                        // the widest vector, in floats
constexpr int64_t kLargestTile = (32 << 10) / kFloat;  // floats: most of the L1 cache
constexpr int64_t kLargestWidth = 256;
constexpr int64_t kEnoughPixels = 64;  // so many that loading weights pays off
constexpr int64_t kEnoughChannels = 8;
constexpr int64_t kRowsAtOnce = 8;  // rows of results, whose weights stay in the L1 cache

int64_t RoundUp(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

// Everything of one image and one group that does not depend on the tile.
struct Planes {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // of one group
  int64_t height, width;              // of the input
  int64_t kernel_height, kernel_width;
  int64_t out_height, out_width;
  PlaneWindow window;

  int64_t taps() const { return kernel_height * kernel_width; }
  int64_t pixels() const { return out_height * out_width; }
};

// The rows and columns of a plane that have one remainder modulo the window's steps.
struct Phase {
  int64_t row;
  int64_t column;
  bool operator==(const Phase&) const = default;
};

struct Tiled {
  Planes planes;
  bool bias = false;
  bool in_place = false;  // one tap on every pixel: x itself serves as the planes
  std::vector<Phase> phases;
  // Of a full tile.
  int64_t rows = 0, columns = 0, channels = 0;
  int64_t pitch = 0;         // floats between rows of a plane
  int64_t phase_floats = 0;  // floats of a plane
  std::vector<int64_t> taps;
  bool in_line = false;         // compute all rows of a tile as one line
  int64_t product_scratch = 0;  // bytes, for the product if in_place

  int64_t channel_floats() const { return phase_floats * static_cast<int64_t>(phases.size()); }
  int64_t scratch_floats() const {
    return in_place ? product_scratch / kFloat : channels * channel_floats() + 2 * kVector;
  }
  PlainProduct Whole() const;
  void Cut();
  void Choose(int64_t limit);
  void Run(const KernelArgs& args) const;
};

// The part of the result that is computed at a time.
struct Part {
  const float* x;  // the planes of the group
  const float* w;
  const float* bias;
  float* y;
  int64_t row = 0, column = 0, channel = 0;  // the first ones
  int64_t rows = 0, columns = 0, channels = 0;
};

// One image of one group as one product, added to the bias.
PlainProduct Tiled::Whole() const {
  const Planes& p = planes;
  return {p.out_channels,
          p.pixels(),
          p.in_channels,
          p.in_channels,
          1,
          p.pixels(),
          1,
          1.0f,
          bias ? 1.0f : 0.0f};
}

// Derives the sizes that depend on the tile.
void Tiled::Cut() {
  const PlaneWindow& w = planes.window;
  const int64_t last_row = (planes.kernel_height - 1) * w.row_gap / w.row_step;
  const int64_t last_column = (planes.kernel_width - 1) * w.column_gap / w.column_step;
  pitch = columns + last_column;
  phase_floats = (rows + last_row) * pitch;
  phases.clear();
  taps.clear();
  for (int64_t r = 0; r < planes.kernel_height; ++r)
    for (int64_t k = 0; k < planes.kernel_width; ++k) {
      const int64_t down = r * w.row_gap;
      const int64_t right = k * w.column_gap;
      const Phase phase{down % w.row_step, right % w.column_step};
      const auto at = std::find(phases.begin(), phases.end(), phase);
      const int64_t index = at - phases.begin();
      if (at == phases.end()) phases.push_back(phase);
      taps.push_back(index * phase_floats + down / w.row_step * pitch + right / w.column_step);
    }
  const int64_t by_rows = rows * RoundUp(columns, kVector);
  in_line = RoundUp(rows * pitch - last_column, kVector) < by_rows;
}

void Tiled::Choose(int64_t limit) {
  const PlaneWindow& w = planes.window;
  rows = planes.out_height;
  columns = std::min(planes.out_width, kLargestWidth);
  channels = planes.in_channels;
  in_place = planes.taps() == 1 && w.row_step == 1 && w.column_step == 1 && w.pad_top == 0 &&
             w.pad_left == 0 && planes.height == planes.out_height &&
             planes.width == planes.out_width && planes.pixels() % kVector == 0;
  if (in_place) {
    product_scratch = Whole().ScratchBytes(limit * kFloat);
    return;
  }
  const auto half = [](int64_t& value) { value = (value + 1) / 2; };
  for (Cut(); scratch_floats() > limit; Cut()) {
    if (rows > 1 && rows * columns > kEnoughPixels)
      half(rows);
    else if (channels > kEnoughChannels)
      half(channels);
    else if (rows > 1)
      half(rows);
    else if (channels > 1)
      half(channels);
    else if (columns > kVector)
      columns = RoundUp(columns / 2, kVector);
    else
      break;
  }
}

// The quotient rounded up, at least 0.
int64_t Quotient(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// Copies the part of one channel that the tile reads; 0 in the padding.
void FillPlane(const Tiled& t, const Part& part, const float* plane, Phase phase, float* out) {
  const Planes& p = t.planes;
  const PlaneWindow& w = p.window;
  const int64_t height = t.phase_floats / t.pitch;
  const int64_t left = part.column * w.column_step - w.pad_left + phase.column;
  const int64_t begin = std::min(Quotient(-left, w.column_step), t.pitch);
  const int64_t end = std::clamp(Quotient(p.width - left, w.column_step), begin, t.pitch);
  for (int64_t j = 0; j < height; ++j, out += t.pitch) {
    const int64_t row = (part.row + j) * w.row_step - w.pad_top + phase.row;
    if (row < 0 || row >= p.height) {
      std::fill_n(out, t.pitch, 0.0f);
      continue;
    }
    const int64_t first = row * p.width + left;
    for (int64_t i = 0; i < begin; ++i) out[i] = 0.0f;
    if (w.column_step == 1)
      for (int64_t i = begin; i < end; ++i) out[i] = plane[first + i];
    else
      for (int64_t i = begin; i < end; ++i) out[i] = plane[first + i * w.column_step];
    for (int64_t i = end; i < t.pitch; ++i) out[i] = 0.0f;
  }
}

PanelProduct ProductOf(const Tiled& t, const Part& part, int64_t first_output, const float* p) {
  const Planes& planes = t.planes;
  const int64_t weights = planes.in_channels * planes.taps();
  PanelProduct product;
  product.rows = std::min(kRowsAtOnce, planes.out_channels - first_output);
  product.depth = part.channels;
  product.taps = t.taps;
  product.a = part.w + first_output * weights + part.channel * planes.taps();
  product.a_row = weights;
  product.a_step = planes.taps();
  product.p = p;
  product.p_step = t.channel_floats();
  if (part.bias != nullptr && part.channel == 0) product.bias = part.bias + first_output;
  return product;
}

// Computes one tile row by row, directly into y.
void MultiplyRows(const Tiled& t, const Part& part, const float* tile) {
  const Planes& planes = t.planes;
  for (int64_t o = 0; o < planes.out_channels; o += kRowsAtOnce) {
    PanelProduct product = ProductOf(t, part, o, tile);
    product.y_row = planes.pixels();
    product.beta = part.channel == 0 ? 0.0f : 1.0f;
    for (int64_t r = 0; r < part.rows; ++r)
      for (int64_t c = 0; c < part.columns; c += kPanelColumns) {
        product.columns = std::min(kPanelColumns, part.columns - c);
        product.p = tile + r * t.pitch + c;
        product.y =
            part.y + o * planes.pixels() + (part.row + r) * planes.out_width + part.column + c;
        Multiply(product);
      }
  }
}

// Computes one tile as one line, and copies its sections into the rows of y.
void MultiplyLine(const Tiled& t, const Part& part, const float* tile) {
  const Planes& planes = t.planes;
  const int64_t length = (part.rows - 1) * t.pitch + part.columns;
  float results[kRowsAtOnce * kPanelColumns];
  for (int64_t o = 0; o < planes.out_channels; o += kRowsAtOnce) {
    PanelProduct product = ProductOf(t, part, o, tile);
    product.y = results;
    product.y_row = kPanelColumns;
    for (int64_t q = 0; q < length; q += kPanelColumns) {
      product.columns = std::min(kPanelColumns, RoundUp(length - q, kVector));
      product.p = tile + q;
      Multiply(product);
      const int64_t end = std::min(q + kPanelColumns, length);
      for (int64_t row = q / t.pitch; row * t.pitch < end; ++row) {
        const int64_t from = std::max(q, row * t.pitch);
        const int64_t count = std::min(end, row * t.pitch + part.columns) - from;
        float* y = part.y + o * planes.pixels() + (part.row + row) * planes.out_width +
                   part.column + from - row * t.pitch;
        const float* result = results + (from - q);
        for (int64_t i = 0; i < product.rows; ++i)
          for (int64_t j = 0; j < count; ++j) {
            float& to = y[i * planes.pixels() + j];
            const float value = result[i * kPanelColumns + j];
            to = part.channel == 0 ? value : to + value;
          }
      }
    }
  }
}

Part AsOneRow(Part part) {
  part.columns *= part.rows;
  part.rows = 1;
  return part;
}

void RunTile(const Tiled& t, const Part& part, float* tile) {
  const Planes& p = t.planes;
  float* out = tile;
  for (int64_t c = 0; c < part.channels; ++c)
    for (const Phase& phase : t.phases) {
      FillPlane(t, part, part.x + (part.channel + c) * p.height * p.width, phase, out);
      out += t.phase_floats;
    }
  std::fill_n(out, 2 * kVector, 0.0f);  // vectors of the last row read past the end
  if (t.pitch == p.out_width && part.columns == t.pitch)
    MultiplyRows(t, AsOneRow(part), tile);  // rows of the tile are stored like those of y
  else if (t.in_line)
    MultiplyLine(t, part, tile);
  else
    MultiplyRows(t, part, tile);
}

// Convolves one image of one group.
void RunPlanes(const Tiled& t, Part part, float* tile) {
  const Planes& p = t.planes;
  if (t.in_place) {
    for (int64_t o = 0; o < p.out_channels && part.bias != nullptr; ++o)
      std::fill_n(part.y + o * p.pixels(), p.pixels(), part.bias[o]);
    t.Whole().Run(part.w, part.x, part.y, tile, t.product_scratch);
    return;
  }
  for (part.row = 0; part.row < p.out_height; part.row += t.rows)
    for (part.column = 0; part.column < p.out_width; part.column += t.columns)
      for (part.channel = 0; part.channel < p.in_channels; part.channel += t.channels) {
        part.rows = std::min(t.rows, p.out_height - part.row);
        part.columns = std::min(t.columns, p.out_width - part.column);
        part.channels = std::min(t.channels, p.in_channels - part.channel);
        RunTile(t, part, tile);
      }
}

void Tiled::Run(const KernelArgs& args) const {
  const Planes& p = planes;
  float* const tile = reinterpret_cast<float*>(args.scratch);
  for (int64_t image = 0; image < p.batch; ++image)
    for (int64_t group = 0; group < p.groups; ++group) {
      const int64_t both = image * p.groups + group;
      Part part{args.in(0) + both * p.in_channels * p.height * p.width,
                args.in(1) + group * p.out_channels * p.in_channels * p.taps(),
                bias ? args.in(2) + group * p.out_channels : nullptr,
                args.out() + both * p.out_channels * p.pixels()};
      RunPlanes(*this, part, tile);
    }
}

Planes PlanesOf(const KernelSite& site, const PlaneWindow& window) {
  const Shape& x = site.shape(0);
  const Shape& w = site.shape(1);
  const Shape& y = site.out().shape;
  const int64_t groups = site.attributes().Int("group", 1);
  return {x[0], groups, w[1], w[0] / groups, x[2], x[3], w[2], w[3], y[2], y[3], window};
}

}  // namespace

Prepared ConvByPlanes(const KernelSite& site, const PlaneWindow& window) {
  auto tiled = std::make_shared<Tiled>();
  tiled->planes = PlanesOf(site, window);
  tiled->bias = site.call->has(2);
  tiled->Choose(std::min(ScratchLimit(site) / kFloat, kLargestTile));
  return Accept(
      "planes",
      [tiled](const KernelArgs& args) { return tiled->Run(args); },
      tiled->scratch_floats() * kFloat);
}

}  // namespace metadist::cpu
