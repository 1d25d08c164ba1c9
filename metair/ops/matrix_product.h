// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/broadcast.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/op_def.h"

// Matrix products over the last two dims, leading dims broadcast.
namespace metadist {

// The operands as matrices: a vector a gets a leading 1, a vector b a trailing 1.
struct MatrixOperands {
  Shape a, b, batch;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

// Errors: kBadInput for scalars and if the inner sizes differ.
Result<MatrixOperands> AlignMatrices(const Shape& a, const Shape& b);

// Shape of the product of arrays of these shapes, without the dims added to vectors.
Result<Shape> MatrixProductShape(const Shape& a, const Shape& b);

// The product's size and flops; bytes are left to the caller.
Work MatrixProductWork(const Shape& a, const Shape& b);

inline void MultiplyAdd(double a, double b, double& sum) { sum += a * b; }
inline void MultiplyAdd(int64_t a, int64_t b, int64_t& sum) { sum = WrapAdd(sum, WrapMul(a, b)); }

// Adds the product of two arrays of T to y, which is zero-filled.
template <typename T>
void MultiplyMatrices(const MatrixOperands& x, const Tensor& a, const Tensor& b, Tensor& y) {
  const T* left = a.data<T>();
  const T* right = b.data<T>();
  T* out = y.mutable_data<T>();
  const Shape a_batch(x.a.begin(), x.a.end() - 2);
  const Shape b_batch(x.b.begin(), x.b.end() - 2);
  ForEachIndex(x.batch,
               {BroadcastStrides(a_batch, x.batch), BroadcastStrides(b_batch, x.batch)},
               [&](int64_t i, const auto& at) {
                 const T* p = left + at[0] * x.m * x.k;
                 const T* q = right + at[1] * x.k * x.n;
                 T* r = out + i * x.m * x.n;
                 for (int64_t row = 0; row < x.m; ++row)
                   for (int64_t l = 0; l < x.k; ++l)
                     for (int64_t col = 0; col < x.n; ++col)
                       MultiplyAdd(p[row * x.k + l], q[l * x.n + col], r[row * x.n + col]);
               });
}

}  // namespace metadist
