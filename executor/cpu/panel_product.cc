// SPDX-License-Identifier: Apache-2.0
// The innermost loops of matrix products and convolutions, for callers that cannot give a library
// the scratch memory it needs.
//
// Problem: compute y += a p at the peak rate of the multipliers. A loop that accumulates in memory
// is bound by loads and stores; a library first copies its operands into a layout of its own.
//
// Approach: a tile of results stays in registers over the whole depth: rows x two vectors of sums,
// for which each step loads two vectors of p and one number of each row of a. Tiles are as large as
// the registers allow, which hides the latency of additions. Operands are read in place. The code
// is compiled for several instruction sets, and with contraction: without fused multiply-add half
// of the rate would be lost, so results differ between machines by rounding, as those of the
// library do.
//
// Complexity: rows x columns x depth multiplications, no memory. Source: Goto, van de Geijn 2008,
// "Anatomy of High-Performance Matrix Multiplication", without its packing.
#include "executor/cpu/panel_product.h"

#include <algorithm>

#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

template <int Width>
struct VectorOf {
  typedef float Register __attribute__((vector_size(Width * 4)));
  typedef float Memory __attribute__((vector_size(Width * 4), aligned(4), may_alias));
};

// Writes alpha sums + beta y + bias for the first `count` columns.
template <int Width, int Vectors>
METADIST_INLINE void Store(const PanelProduct& q,
                           int64_t row,
                           const typename VectorOf<Width>::Register* sums,
                           float* y,
                           int64_t count) {
  using Memory = typename VectorOf<Width>::Memory;
  const float bias = q.bias != nullptr ? q.bias[row] : 0.0f;
  if (count == Vectors * Width) {
    for (int v = 0; v < Vectors; ++v) {
      Memory& out = *reinterpret_cast<Memory*>(y + v * Width);
      const auto result = q.alpha * sums[v] + bias;
      out = q.beta != 0.0f ? result + q.beta * out : result;
    }
    return;
  }
  float results[Vectors * Width];
  for (int v = 0; v < Vectors; ++v)
    *reinterpret_cast<Memory*>(results + v * Width) = q.alpha * sums[v] + bias;
  for (int64_t j = 0; j < count; ++j)
    y[j] = q.beta != 0.0f ? results[j] + q.beta * y[j] : results[j];
}

// sums[i][v] += the row of p at `p` times the factors of `Rows` rows of a.
template <int Width, int Rows, int Vectors>
METADIST_INLINE void Add(const float* p,
                         const float* factors,
                         int64_t a_row,
                         typename VectorOf<Width>::Register (&sums)[Rows][Vectors]) {
  using Memory = typename VectorOf<Width>::Memory;
  typename VectorOf<Width>::Register line[Vectors];
  for (int v = 0; v < Vectors; ++v) line[v] = *reinterpret_cast<const Memory*>(p + v * Width);
  for (int i = 0; i < Rows; ++i)
    for (int v = 0; v < Vectors; ++v) sums[i][v] += factors[i * a_row] * line[v];
}

// The longer of the two loops is the inner one.
template <int Width, int Rows, int Vectors>
METADIST_INLINE void Tile(const PanelProduct& q, int64_t row, int64_t column, int64_t count) {
  typename VectorOf<Width>::Register sums[Rows][Vectors] = {};
  const float* const a = q.a + row * q.a_row;
  const auto taps = static_cast<int64_t>(q.taps.size());
  if (taps > q.depth) {
    for (int64_t c = 0; c < q.depth; ++c)
      for (int64_t t = 0; t < taps; ++t)
        Add<Width, Rows, Vectors>(q.p + c * q.p_step + q.taps[static_cast<size_t>(t)] + column,
                                  a + c * q.a_step + t,
                                  q.a_row,
                                  sums);
  } else {
    for (int64_t t = 0; t < taps; ++t) {
      const float* p = q.p + q.taps[static_cast<size_t>(t)] + column;
      const float* factors = a + t;
      for (int64_t c = 0; c < q.depth; ++c, p += q.p_step, factors += q.a_step)
        Add<Width, Rows, Vectors>(p, factors, q.a_row, sums);
    }
  }
  for (int i = 0; i < Rows; ++i)
    Store<Width, Vectors>(q, row + i, sums[i], q.y + (row + i) * q.y_row + column, count);
}

// All rows of a strip of columns, `Rows` at a time, then half as many.
template <int Width, int Rows, int Vectors>
METADIST_INLINE void Strip(const PanelProduct& q, int64_t row, int64_t column, int64_t count) {
  for (; row + Rows <= q.rows; row += Rows) Tile<Width, Rows, Vectors>(q, row, column, count);
  if constexpr (Rows > 1) Strip<Width, Rows / 2, Vectors>(q, row, column, count);
}

template <int Width, int Rows>
METADIST_INLINE void Panel(const PanelProduct& q) {
  for (int64_t column = 0; column < q.columns; column += 2 * Width) {
    const int64_t left = q.columns - column;
    if (left > Width)
      Strip<Width, Rows, 2>(q, 0, column, std::min<int64_t>(left, 2 * Width));
    else
      Strip<Width, Rows, 1>(q, 0, column, left);
  }
}

// The sum of a vector's elements, adding halves first.
template <int Width>
METADIST_INLINE float Total(const typename VectorOf<Width>::Register& sums) {
  using Half = VectorOf<Width / 2>;
  if constexpr (Width == 4) {
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  } else {
    typename Half::Register halves[2];
    __builtin_memcpy(halves, &sums, sizeof(sums));
    return Total<Width / 2>(halves[0] + halves[1]);
  }
}

// The dot products of `Rows` rows of a with `Columns` rows of b.
template <int Width, int Rows, int Columns>
METADIST_INLINE void Dots(const DotProducts& q, int64_t row, int64_t column) {
  using Register = typename VectorOf<Width>::Register;
  using Memory = typename VectorOf<Width>::Memory;
  const float* const a = q.a + row * q.a_row;
  const float* const b = q.b + column * q.b_row;
  Register sums[Rows][Columns] = {};
  int64_t k = 0;
  for (; k + Width <= q.depth; k += Width) {
    Register line[Rows];
    for (int i = 0; i < Rows; ++i) line[i] = *reinterpret_cast<const Memory*>(a + i * q.a_row + k);
    for (int j = 0; j < Columns; ++j) {
      const Register other = *reinterpret_cast<const Memory*>(b + j * q.b_row + k);
      for (int i = 0; i < Rows; ++i) sums[i][j] += line[i] * other;
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) {
      float sum = Total<Width>(sums[i][j]);
      for (int64_t rest = k; rest < q.depth; ++rest)
        sum += a[i * q.a_row + rest] * b[j * q.b_row + rest];
      float& y = q.y[(row + i) * q.y_row + column + j];
      y = q.beta != 0.0f ? q.alpha * sum + q.beta * y : q.alpha * sum;
    }
}

template <int Width, int Rows, int Columns>
METADIST_INLINE void DotRows(const DotProducts& q, int64_t row) {
  for (; row + Rows <= q.rows; row += Rows) {
    int64_t column = 0;
    for (; column + Columns <= q.columns; column += Columns)
      Dots<Width, Rows, Columns>(q, row, column);
    for (; column < q.columns; ++column) Dots<Width, Rows, 1>(q, row, column);
  }
  if constexpr (Rows > 1) DotRows<Width, Rows / 2, Columns>(q, row);
}

template <int Width>
METADIST_INLINE void AllDots(const DotProducts& q) {
  DotRows<Width, Width == 16 ? 4 : 2, Width == 16 ? 4 : 2>(q, 0);
}

struct Version {
  void (*panel)(const PanelProduct&);
  void (*dots)(const DotProducts&);
};

void PanelPlain(const PanelProduct& q) { Panel<4, 4>(q); }
void DotsPlain(const DotProducts& q) { AllDots<4>(q); }

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void PanelAvx2(const PanelProduct& q) { Panel<8, 4>(q); }
__attribute__((target("avx2,fma"))) void DotsAvx2(const DotProducts& q) { AllDots<8>(q); }
__attribute__((target("avx512f"))) void PanelAvx512(const PanelProduct& q) { Panel<16, 8>(q); }
__attribute__((target("avx512f"))) void DotsAvx512(const DotProducts& q) { AllDots<16>(q); }

Version Choose() {
  if (HasAvx512()) return {PanelAvx512, DotsAvx512};
  if (HasAvx2()) return {PanelAvx2, DotsAvx2};
  return {PanelPlain, DotsPlain};
}
#else
Version Choose() { return {PanelPlain, DotsPlain}; }
#endif

const Version& Chosen() {
  static const Version version = Choose();
  return version;
}

}  // namespace

void Multiply(const PanelProduct& product) { Chosen().panel(product); }

void Multiply(const DotProducts& products) { Chosen().dots(products); }

}  // namespace metadist::cpu
