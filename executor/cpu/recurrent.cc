// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: each step multiplies some rows of the batch with the weights of the input and
// with those of the state, then applies the cell's functions row by row. As many rows are processed
// together as the scratch memory can hold sums of; with sequences of different lengths, one row at
// a time. Weights that nothing else reads are transposed once, so that the products read them in
// place.
#include "executor/cpu/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "executor/cpu/indices.h"
#include "executor/cpu/panel_product.h"
#include "executor/cpu/plain_product.h"
#include "executor/cpu/strided_copy.h"
#include "metair/ops/recurrent.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kFloat = 4;

struct Layer {
  Recurrence sizes;
  CellKind kind = CellKind::kRNN;
  std::vector<CellFunction> functions;  // of all directions
  float clip = 0;
  bool couples = false;
  bool late_reset = false;  // the reset gate scales products, not the state
  bool packed_w = false;    // [directions, input, gates * hidden]
  bool packed_r = false;    // [directions, hidden, gates * hidden]
  bool wide = false;        // lengths are i64
  int64_t together = 1;     // rows of the batch
  int64_t product_bytes = 0;

  int64_t gates() const { return sizes.gates * sizes.hidden; }
  // A row's sums, its states and one more array.
  int64_t row_floats() const { return gates() + 3 * sizes.hidden; }
  int64_t row_bytes() const { return (together * row_floats() * kFloat + 63) / 64 * 64; }
};

// Some rows of the batch in one direction.
struct Run {
  const Layer& layer;
  const KernelArgs& args;
  int64_t direction;
  int64_t first, rows;

  const Recurrence& sizes() const { return layer.sizes; }
  float* sums() const { return reinterpret_cast<float*>(args.scratch); }
  float* h() const { return sums() + layer.together * layer.gates(); }
  float* c() const { return h() + layer.together * sizes().hidden; }
  float* spare() const { return c() + layer.together * sizes().hidden; }

  // sums[:, column ...] = a W^T (or R^T) for the columns of some gates; accumulates if `adds`.
  struct Weights {
    size_t input;
    int64_t depth;
    bool packed;
  };
  void Multiply(const Weights& weights,
                const float* a,
                int64_t a_row,
                int64_t column,
                float* y,
                PlainProduct product) const {
    const int64_t all = layer.gates();
    product.m = rows;
    product.k = weights.depth;
    product.a_row = a_row;
    product.b_row = weights.packed ? all : 1;
    product.b_column = weights.packed ? 1 : weights.depth;
    const float* const b =
        args.in(weights.input) + direction * all * weights.depth + column * product.b_column;
    product.Run(
        a, b, y, reinterpret_cast<float*>(args.scratch + layer.row_bytes()), layer.product_bytes);
  }

  void Begin() const;
  void Sum(int64_t t) const;
  void Recur() const;
  void RecurGated() const;
  void Cells() const;
  Result<void> Steps() const;
  CellRow RowOf(int64_t r) const;
};

void Run::Begin() const {
  for (const auto& [input, to] : {std::pair(kInitialH, h()), std::pair(kInitialC, c())})
    for (int64_t r = 0; r < rows; ++r) {
      float* const row = to + r * sizes().hidden;
      const bool given = input == kInitialH || layer.kind == CellKind::kLSTM;
      if (given && args.in_or_null(input) != nullptr)
        std::copy_n(
            args.in_or_null(input) + sizes().AtState(direction, first + r), sizes().hidden, row);
      else
        std::fill_n(row, sizes().hidden, 0.0f);
    }
}

// sums = x W^T + biases. A late reset gate scales the third gate's state bias too, so that bias is
// added later.
void Run::Sum(int64_t t) const {
  const int64_t all = layer.gates();
  const float* const bias =
      args.in_or_null(kB) == nullptr ? nullptr : args.in_or_null(kB) + direction * 2 * all;
  const int64_t both = layer.late_reset ? 2 * sizes().hidden : all;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < all; ++i)
      sums()[r * all + i] = bias == nullptr ? 0.0f : bias[i] + (i < both ? bias[all + i] : 0.0f);
  PlainProduct product;
  product.n = all;
  product.beta = 1;
  const int64_t step = sizes().batch_first ? sizes().sequence * sizes().input : sizes().input;
  Multiply({kW, sizes().input, layer.packed_w},
           args.in(kX) + sizes().AtX(t, first),
           step,
           0,
           sums(),
           product);
}

// sums += h R^T
void Run::Recur() const {
  PlainProduct product;
  product.n = layer.gates();
  product.beta = 1;
  Multiply({kR, sizes().hidden, layer.packed_r}, h(), sizes().hidden, 0, sums(), product);
}

// The same for a GRU, whose second gate scales the state's contribution to the third.
void Run::RecurGated() const {
  const int64_t n = sizes().hidden;
  const int64_t all = layer.gates();
  const Run::Weights weights{kR, n, layer.packed_r};
  PlainProduct product;
  product.n = 2 * n;
  product.beta = 1;
  product.y_row = all;
  Multiply(weights, h(), n, 0, sums(), product);
  for (int64_t r = 0; r < rows; ++r) OpenGates(RowOf(r));
  const auto reset = [&](int64_t r) { return sums() + r * all + n; };
  product.n = n;
  if (!layer.late_reset) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < n; ++i) spare()[r * n + i] = reset(r)[i] * h()[r * n + i];
    Multiply(weights, spare(), n, 2 * n, sums() + 2 * n, product);
    return;
  }
  product.beta = 0;
  product.y_row = n;
  Multiply(weights, h(), n, 2 * n, spare(), product);
  const float* const bias = args.in_or_null(kB) == nullptr
                                ? nullptr
                                : args.in_or_null(kB) + direction * 2 * all + all + 2 * n;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < n; ++i)
      reset(r)[n + i] += reset(r)[i] * (spare()[r * n + i] + (bias == nullptr ? 0.0f : bias[i]));
}

CellRow Run::RowOf(int64_t r) const {
  const int64_t n = sizes().hidden;
  CellRow row;
  row.hidden = n;
  const size_t count = layer.functions.size() / static_cast<size_t>(sizes().directions);
  for (size_t i = 0; i < count; ++i)
    row.functions[i] = layer.functions[static_cast<size_t>(direction) * count + i];
  row.clip = layer.clip;
  if (layer.kind == CellKind::kLSTM && args.in_or_null(kPeepholes) != nullptr)
    row.peepholes = args.in_or_null(kPeepholes) + direction * 3 * n;
  row.couples = layer.couples;
  row.gates = sums() + r * layer.gates();
  row.h = h() + r * n;
  row.c = c() + r * n;
  return row;
}

void Run::Cells() const {
  for (int64_t r = 0; r < rows; ++r) {
    const CellRow row = RowOf(r);
    if (layer.kind == CellKind::kRNN) StepRnn(row);
    if (layer.kind == CellKind::kGRU) StepGru(row);
    if (layer.kind == CellKind::kLSTM) StepLstm(row);
  }
}

Result<void> Run::Steps() const {
  const int64_t n = sizes().hidden;
  int64_t length = sizes().sequence;
  if (args.in_or_null(kLengths) != nullptr)
    length = Indices{args.inputs[kLengths], layer.wide}[first];
  if (length < 0 || length > sizes().sequence)
    return BadInput("",
                    fmt::format("a length must be in [0, {}], got {}", sizes().sequence, length));
  Begin();
  for (int64_t i = 0; i < sizes().sequence; ++i) {
    const bool backward = sizes().reverse || direction == 1;
    const int64_t t = i >= length ? i : backward ? length - 1 - i : i;
    if (i < length) {
      Sum(t);
      layer.kind == CellKind::kGRU ? RecurGated() : Recur();
      Cells();
    }
    for (int64_t r = 0; args.out_or_null(0) != nullptr && r < rows; ++r) {
      float* const y = args.out_or_null(0) + sizes().AtY(t, direction, first + r);
      if (i < length)
        std::copy_n(h() + r * n, n, y);
      else
        std::fill_n(y, n, 0.0f);
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = sizes().AtState(direction, first + r);
    if (args.out_or_null(1) != nullptr) std::copy_n(h() + r * n, n, args.out_or_null(1) + at);
    if (args.out_or_null(2) != nullptr) std::copy_n(c() + r * n, n, args.out_or_null(2) + at);
  }
  return {};
}

// The weights of each direction, transposed.
Packing Transposed(const KernelSite& site, size_t input) {
  const Shape& shape = site.shape(input);
  const Shape turned{shape[0], shape[2], shape[1]};
  const auto copy =
      StridedCopy::Make(turned, kFloat, {{shape[1] * shape[2], 1, shape[2]}}, {Strides(turned)});
  return {input,
          site.call->type(input).bytes(),
          [copy = *copy](const std::byte* from, std::byte* to) { copy.Run(from, to); }};
}

bool SetFunctions(const Attributes& attributes, Layer& layer) {
  std::vector<std::string> names = attributes.Strings("activations");
  if (names.empty())
    for (int64_t d = 0; d < layer.sizes.directions; ++d)
      for (int64_t i = 0; i < (layer.kind == CellKind::kLSTM  ? 3
                               : layer.kind == CellKind::kGRU ? 2
                                                              : 1);
           ++i)
        names.push_back(i == 0 && layer.kind != CellKind::kRNN ? "sigmoid" : "tanh");
  for (const std::string& name : names) {
    const auto function = CellFunctionOf(name);
    if (!function) return false;
    layer.functions.push_back(*function);
  }
  return true;
}

}  // namespace

Prepared PrepareRecurrent(const KernelSite& site, CellKind kind) {
  if (site.element(kX) != ElementType::kF32) return Decline("f32 only");
  const Attributes& attributes = site.attributes();
  CellForm form;
  form.gates = kind == CellKind::kRNN ? 1 : kind == CellKind::kGRU ? 3 : 4;
  const auto sizes = RecurrenceOf(*site.call, form);
  if (!sizes.ok()) return Decline(sizes.error().message);
  if (site.call->has(kLengths) && !IsIndex(site.element(kLengths))) return Decline("no index type");
  auto layer = std::make_shared<Layer>();
  layer->sizes = sizes.value();
  layer->kind = kind;
  if (!SetFunctions(attributes, *layer)) return Decline("a rare function");
  layer->clip = static_cast<float>(attributes.Float("clip", 0));
  layer->couples = attributes.Int("input_forget", 0) != 0;
  layer->late_reset = kind == CellKind::kGRU && attributes.Int("linear_before_reset", 0) != 0;
  layer->wide = site.call->has(kLengths) && site.element(kLengths) == ElementType::kI64;
  const Recurrence& s = layer->sizes;
  if (s.hidden == 0 || s.input == 0 || s.batch == 0) return Decline("nothing to do");
  layer->packed_w = site.packable(kW);
  layer->packed_r = site.packable(kR);
  const int64_t strip = kPanelColumns * kFloat;
  const int64_t limit = ScratchLimit(site);
  const int64_t depth = std::max<int64_t>(8, std::min<int64_t>(256, std::max(s.hidden, s.input)));
  layer->product_bytes = std::clamp(limit / 4 / strip, int64_t{8}, depth) * strip;
  // Having fewer rows than a product needs to be fast costs more than the memory.
  const int64_t least = std::min<int64_t>(8, s.batch);
  layer->together =
      std::clamp((limit - layer->product_bytes) / (layer->row_floats() * kFloat), least, s.batch);
  if (site.call->has(kLengths)) layer->together = 1;
  Prepared prepared = Accept(
      "steps",
      [layer](const KernelArgs& args) -> Result<void> {
        const Recurrence& r = layer->sizes;
        for (int64_t direction = 0; direction < r.directions; ++direction)
          for (int64_t b = 0; b < r.batch; b += layer->together)
            TRY((Run{*layer, args, direction, b, std::min(layer->together, r.batch - b)}.Steps()));
        return {};
      },
      layer->row_bytes() + layer->product_bytes);
  if (layer->packed_w) prepared.packings.push_back(Transposed(site, kW));
  if (layer->packed_r) prepared.packings.push_back(Transposed(site, kR));
  return prepared;
}

}  // namespace metadist::cpu
