// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ir/tensor.h"
#include "metair/spmd/sharding.h"

// Slicing, merging and comparing arrays of compute types (f64, i64, bool).
namespace metadist {

// The given indices of dim `dim`, in that order.
Tensor Take(const Tensor& whole, int dim, std::span<const int64_t> indices);
// Writes a piece to those indices of dim `dim`. Shapes must fit.
void Put(Tensor& whole, int dim, std::span<const int64_t> indices, const Tensor& piece);

// Every bool turned into its opposite. The array must be of bools.
Tensor Flipped(const Tensor& x);

// Largest finite magnitude of a float array; 0 for other classes.
double Largest(const Tensor& x);

// Equal types, and equal elements: exactly for integers and bools; floats within `slack`, NaN equal
// to NaN, infinities to themselves.
bool Close(const Tensor& x, const Tensor& y, double slack);
// Whether `piece` is what those indices of dim `dim` of `whole` hold, likewise.
bool CloseAt(const Tensor& piece,
             const Tensor& whole,
             int dim,
             std::span<const int64_t> indices,
             double slack);

// Whether a reduction is defined for the class: and, or for bools; the others for numbers.
bool Applies(ReduceOp op, ElementType type);
// a = a op b, element by element. Types must be equal, and the reduction must apply.
void Fold(ReduceOp op, Tensor& a, const Tensor& b);

}  // namespace metadist
