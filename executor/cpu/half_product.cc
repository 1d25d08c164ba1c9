// SPDX-License-Identifier: Apache-2.0
// Converted to f32, the weights of a language model's last layer would be larger than everything
// else that a rank computes, and memory predictions do not include conversions. So b is converted
// one panel of columns at a time, and the panel is still in the cache when the product reads it.
#include "executor/cpu/half_product.h"

#include <algorithm>
#include <array>
#include <memory>

#include "executor/cpu/half_floats.h"
#include "executor/cpu/matrix_batch.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kPanelBytes = 16 << 20;
constexpr int64_t kLeastColumns = 256;
constexpr int64_t kColumnStep = 64;

// Rounds up to a multiple of 64 bytes.
int64_t Floats(int64_t count) { return (count + 15) / 16 * 16; }

struct Panels {
  ElementType type;
  ElementType made;  // of y: the same, or f32
  HalfProductShape shape;
  int64_t columns = 0;  // of a panel; the last may have fewer
  Runner full;
  Runner rest;

  int64_t a_floats() const { return Floats(shape.m * shape.k); }
  int64_t b_floats() const { return Floats(shape.k * columns); }
  int64_t y_floats() const { return Floats(shape.m * columns); }
  int64_t bytes() const {
    return (a_floats() + b_floats() + y_floats()) * ByteSize(ElementType::kF32);
  }

  Result<void> Run(const KernelArgs& args) const {
    const int64_t size = ByteSize(type);
    for (int64_t i = 0; i < shape.batch; ++i) {
      const std::array<const std::byte*, 2> in = {args.inputs[0] + i * shape.m * shape.k * size,
                                                  args.inputs[1] + i * shape.k * shape.n * size};
      const std::array<std::byte*, 1> out = {args.outputs[0] +
                                             i * shape.m * shape.n * ByteSize(made)};
      TRY(RunMatrix({in, out, args.scratch}));
    }
    return {};
  }

  Result<void> RunMatrix(const KernelArgs& args) const {
    auto* const a = reinterpret_cast<float*>(args.scratch);
    float* const b = a + a_floats();
    float* const y = b + b_floats();
    const int64_t size = ByteSize(type);
    WidenHalves(type, args.inputs[0], a, shape.m * shape.k);
    const std::array<const std::byte*, 2> in = {reinterpret_cast<const std::byte*>(a),
                                                reinterpret_cast<const std::byte*>(b)};
    const std::array<std::byte*, 1> out = {reinterpret_cast<std::byte*>(y)};
    for (int64_t begin = 0; begin < shape.n; begin += columns) {
      const int64_t width = std::min(columns, shape.n - begin);
      for (int64_t row = 0; row < shape.k; ++row)
        WidenHalves(type, args.inputs[1] + (row * shape.n + begin) * size, b + row * width, width);
      TRY((width == columns ? full : rest)({in, out, args.scratch + bytes()}));
      for (int64_t row = 0; row < shape.m; ++row) {
        std::byte* const to = args.outputs[0] + (row * shape.n + begin) * ByteSize(made);
        if (IsHalf(made))
          NarrowToHalves(made, y + row * width, to, width);
        else
          std::copy_n(y + row * width, width, reinterpret_cast<float*>(to));
      }
    }
    return {};
  }
};

// The f32 product of `a` with one panel.
Prepared PanelProduct(const KernelSite& site, const HalfProductShape& shape, int64_t columns) {
  OpCall call = *site.call;
  call.inputs.resize(2);
  call.inputs[0] = {true, {ElementType::kF32, {shape.m, shape.k}}};
  call.inputs[1] = {true, {ElementType::kF32, {shape.k, columns}}};
  const std::array<TensorType, 1> types = {TensorType{ElementType::kF32, {shape.m, columns}}};
  const auto matrix = [](int64_t rows, int64_t row, size_t input) {
    return MatrixBatch::Operand{{rows, row}, {row, 1}, input};
  };
  return PrepareProducts(
      {&call, types},
      {matrix(shape.m, shape.k, 0), matrix(shape.k, columns, 1), matrix(shape.m, columns, 0)});
}

}  // namespace

Prepared PrepareHalfProduct(const KernelSite& site, const HalfProductShape& shape) {
  if (shape.batch == 0 || shape.m == 0 || shape.k == 0 || shape.n == 0)
    return Decline("an empty operand");
  const int64_t fit = kPanelBytes / (ByteSize(ElementType::kF32) * shape.k);
  auto panels = std::make_shared<Panels>();
  panels->type = site.element(0);
  panels->made = site.out().element;
  panels->shape = shape;
  panels->columns = std::min(shape.n, std::max(kLeastColumns, fit / kColumnStep * kColumnStep));
  if (shape.batch == 1 && shape.n == panels->columns) return Decline("a small operand");
  Prepared full = PanelProduct(site, shape, panels->columns);
  if (!full.ok()) return full;
  int64_t scratch = full.scratch_bytes;
  const std::string kernel = full.kernel + " via f32 panels";
  panels->full = std::move(full.run);
  if (const int64_t left = shape.n % panels->columns; left > 0) {
    Prepared rest = PanelProduct(site, shape, left);
    if (!rest.ok()) return rest;
    scratch = std::max(scratch, rest.scratch_bytes);
    panels->rest = std::move(rest.run);
  }
  return Accept(
      kernel,
      [panels](const KernelArgs& args) { return panels->Run(args); },
      panels->bytes() + scratch);
}

}  // namespace metadist::cpu
