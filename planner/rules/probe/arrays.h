// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "metair/ir/tensor.h"
#include "metair/spmd/sharding.h"

// Slicing, merging and comparing arrays of compute types (f64, i64, bool).
namespace metadist {

// The elements at the given indices of dim `dim`, in that order.
Tensor Take(const Tensor& whole, int dim, std::span<const int64_t> indices);
// Writes a piece to these indices of dim `dim`. Shapes must match.
void Put(Tensor& whole, int dim, std::span<const int64_t> indices, const Tensor& piece);

// Inverts every bool of an array of bools.
Tensor Flipped(const Tensor& x);

// Largest finite magnitude of a float array; 0 for other classes.
double Largest(const Tensor& x);
// Sum of the finite magnitudes of floats; 0 for other elements.
double SumOfMagnitudes(const Tensor& x);

// Whether floats differ by more than `slack`: NaN equals NaN, and infinities themselves.
inline bool AreFar(double a, double b, double slack) {
  return a != b && !(std::abs(a - b) <= slack) && !(a != a && b != b);
}
// Calls visit(i) for every element that differs; floats by more than `slack`. Types must be equal.
template <typename Visit>
void ForDifferences(const Tensor& x, const Tensor& y, double slack, Visit visit) {
  const auto compare = [&](const auto* a, const auto* b, auto differ) {
    const int64_t count = x.size();
    for (int64_t i = 0; i < count; ++i)
      if (differ(a[i], b[i])) visit(i);
  };
  if (x.element() == ElementType::kF64)
    compare(x.data<double>(), y.data<double>(), [&](double a, double b) {
      return AreFar(a, b, slack);
    });
  else if (x.element() == ElementType::kI64)
    compare(x.data<int64_t>(), y.data<int64_t>(), std::not_equal_to<>());
  else
    compare(x.data<bool>(), y.data<bool>(), std::not_equal_to<>());
}

// Whether types and elements are equal: integers and bools exactly; floats within `slack`, with NaN
// equal to NaN and infinities to themselves.
bool Close(const Tensor& x, const Tensor& y, double slack);
// The same, comparing `piece` with these indices of dim `dim` of `whole`.
bool CloseAt(const Tensor& piece,
             const Tensor& whole,
             int dim,
             std::span<const int64_t> indices,
             double slack);

// Whether a reduction is defined for the type: and, or for bools; the others for numbers.
bool Applies(ReduceOp op, ElementType type);
// a = a op b, elementwise. Types must be equal, and the reduction must apply.
void Fold(ReduceOp op, Tensor& a, const Tensor& b);

}  // namespace metadist
