// SPDX-License-Identifier: Apache-2.0
// Matrix products for scarce memory. A right operand with contiguous columns is read in place; a
// transposed one is handled by dot products if there are few rows. The rest (many rows, or columns
// that do not fill a vector) is copied strip by strip, as deep as the scratch memory allows.
#include "executor/cpu/plain_product.h"

#include <algorithm>

#include "executor/cpu/panel_product.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kFloat = 4;
constexpr int64_t kVector = 16;  // floats of the widest vector
constexpr int64_t kLeastDepth = 8;
constexpr int64_t kLeastScratch = kLeastDepth * kPanelColumns * kFloat;
constexpr int64_t kShareOfOperands = 64;
constexpr int64_t kLargestDepth = 256;  // of a strip in the L1 cache
constexpr int64_t kWhole[] = {0};       // the tap of a plain matrix

// typedef: clang++ ignores the alignment in a `using` declaration.
typedef float Four __attribute__((vector_size(16)));
typedef float FourInMemory __attribute__((vector_size(16), aligned(4), may_alias));

// out[j * pitch + i] = in[i * step + j] for i, j < 4.
void Turn(const float* in, int64_t step, float* out, int64_t pitch) {
  const auto line = [&](int64_t i) -> Four {
    return *reinterpret_cast<const FourInMemory*>(in + i * step);
  };
  const Four even = __builtin_shufflevector(line(0), line(2), 0, 4, 1, 5);
  const Four odd = __builtin_shufflevector(line(1), line(3), 0, 4, 1, 5);
  const Four even_high = __builtin_shufflevector(line(0), line(2), 2, 6, 3, 7);
  const Four odd_high = __builtin_shufflevector(line(1), line(3), 2, 6, 3, 7);
  const auto store = [&](int64_t j, Four value) {
    *reinterpret_cast<FourInMemory*>(out + j * pitch) = value;
  };
  store(0, __builtin_shufflevector(even, odd, 0, 4, 1, 5));
  store(1, __builtin_shufflevector(even, odd, 2, 6, 3, 7));
  store(2, __builtin_shufflevector(even_high, odd_high, 0, 4, 1, 5));
  store(3, __builtin_shufflevector(even_high, odd_high, 2, 6, 3, 7));
}

// `rows` x `columns` of b, stored with row pitch `width` in the strip; columns beyond are 0.
struct Strip {
  const float* b;
  int64_t b_row, b_column;
  int64_t rows, columns, width;

  void CopyTo(float* out) const;
};

void Strip::CopyTo(float* out) const {
  if (columns < width) std::fill_n(out, rows * width, 0.0f);
  if (b_column == 1) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(b + r * b_row, columns, out + r * width);
    return;
  }
  const int64_t turned_rows = b_row == 1 ? rows / 4 * 4 : 0;
  const int64_t turned_columns = columns / 4 * 4;
  for (int64_t c = 0; c < turned_columns; c += 4)
    for (int64_t r = 0; r < turned_rows; r += 4)
      Turn(b + c * b_column + r, b_column, out + r * width + c, width);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < turned_rows ? turned_columns : 0; c < columns; ++c)
      out[r * width + c] = b[r * b_row + c * b_column];
}

}  // namespace

// Adding up the lanes of a sum costs as much as many steps of the depth.
bool PlainProduct::by_dots() const {
  return b_row == 1 && a_column == 1 && (m < 4 || (m <= 16 && m * 8 <= k));
}

// Columns that are read in place: whole vectors, unless many rows of a reread rows of b that are so
// far apart that they evict each other from the cache.
int64_t PlainProduct::direct_columns() const {
  const bool far = m >= 16 && b_row >= 512 && k >= 64;
  return b_column == 1 && !far ? n / kVector * kVector : 0;
}

bool PlainProduct::small() const {
  constexpr int64_t kFewMultiplications = 32 << 10;
  if (ScratchBytes(0) > 0) return false;
  return m == 1 || ((b_column == 1 || m == 2) && m * n * k <= kFewMultiplications);
}

int64_t PlainProduct::ScratchBytes(int64_t limit) const {
  if (by_dots() || direct_columns() == n) return 0;
  const int64_t depth = limit / (kPanelColumns * kFloat);
  return std::min(k, std::clamp(depth, kLeastDepth, kLargestDepth)) * kPanelColumns * kFloat;
}

void PlainProduct::RunPacked(
    const float* a, const float* b, float* y, float* scratch, int64_t depth) const {
  for (int64_t j = direct_columns(); j < n; j += kPanelColumns)
    for (int64_t first = 0; first < k; first += depth) {
      Strip strip{};
      strip.b = b + first * b_row + j * b_column;
      strip.b_row = b_row;
      strip.b_column = b_column;
      strip.rows = std::min(depth, k - first);
      strip.columns = std::min(kPanelColumns, n - j);
      strip.width = strip.columns > kVector ? kPanelColumns : kVector;
      strip.CopyTo(scratch);
      PanelProduct panel;
      panel.rows = m;
      panel.columns = strip.columns;
      panel.depth = strip.rows;
      panel.taps = kWhole;
      panel.a = a + first * a_column;
      panel.a_row = a_row;
      panel.a_step = a_column;
      panel.p = scratch;
      panel.p_step = strip.width;
      panel.y = y + j;
      panel.y_row = y_step();
      panel.alpha = alpha;
      panel.beta = first == 0 ? beta : 1.0f;
      Multiply(panel);
    }
}

void PlainProduct::Run(
    const float* a, const float* b, float* y, float* scratch, int64_t scratch_bytes) const {
  if (by_dots()) {
    Multiply(DotProducts{m, n, k, a, a_row, b, b_column, y, y_step(), alpha, beta});
    return;
  }
  for (int64_t j = 0; j < direct_columns(); j += kPanelColumns) {
    PanelProduct panel;
    panel.rows = m;
    panel.columns = std::min(kPanelColumns, direct_columns() - j);
    panel.depth = k;
    panel.taps = kWhole;
    panel.a = a;
    panel.a_row = a_row;
    panel.a_step = a_column;
    panel.p = b + j;
    panel.p_step = b_row;
    panel.y = y + j;
    panel.y_row = y_step();
    panel.alpha = alpha;
    panel.beta = beta;
    Multiply(panel);
  }
  if (direct_columns() == n) return;
  if (scratch_bytes >= kLeastScratch)
    return RunPacked(a, b, y, scratch, scratch_bytes / (kPanelColumns * kFloat));
  float few[kLeastScratch / kFloat];
  RunPacked(a, b, y, few, kLeastDepth);
}

int64_t ScratchLimit(const KernelSite& site) {
  int64_t bytes = 0;
  for (const TensorType& output : site.outputs) bytes += output.bytes();
  for (const OpCall::Input& input : site.call->inputs)
    if (input.present) bytes += input.type.bytes();
  return std::max({bytes / kShareOfOperands, kLeastScratch, site.free_bytes});
}

}  // namespace metadist::cpu
