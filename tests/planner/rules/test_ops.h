// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metair/ops/op_def.h"

// Additional operators, not used by any model: those whose rules are easy to get wrong.
namespace metadist::testing {

struct TestOp {
  OpDef op;
  OpExample example;
  const char* rule;  // expected rule
};

// An output shape and a value for each of its elements, over two-dim inputs.
template <typename Out, Result<Shape> (*ShapeOf)(const OpCall&), auto Element>
OpDef ElementOp(const char* name) {
  OpDef op;
  op.domain = "test";
  op.name = name;
  op.infer = [](const OpCall& call) -> Result<std::vector<TensorType>> {
    return std::vector<TensorType>{{ElementTypeOf<Out>(), TRY(ShapeOf(call))}};
  };
  op.reference =
      [](const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) -> Result<void> {
    Out* y = out[0].template mutable_data<Out>();
    const int64_t columns = out[0].rank() > 1 ? out[0].dim(1) : 1;
    for (int64_t i = 0; i < out[0].size(); ++i) y[i] = Element(in, i / columns, i % columns);
    return {};
  };
  return op;
}

inline double At(const Tensor& x, int64_t i, int64_t j) {
  return x.data<double>()[i * x.dim(1) + j];
}
inline bool Bit(const Tensor& x, int64_t i, int64_t j) { return x.data<bool>()[i * x.dim(1) + j]; }

inline Result<Shape> RowsOf(const OpCall& call) { return Shape{call.shape(0)[0]}; }
inline Result<Shape> SameAs(const OpCall& call) { return call.shape(0); }
// [i,k] x [k,j], and optionally a bias [j].
inline Result<Shape> ProductOf(const OpCall& call) {
  if (call.shape(0)[1] != call.shape(1)[0]) return BadInput("", "inner sizes differ");
  if (call.inputs.size() > 2 && call.shape(2)[0] != call.shape(1)[1])
    return BadInput("", "bias differs");
  return Shape{call.shape(0)[0], call.shape(1)[1]};
}
// [i,k] x [j,k].
inline Result<Shape> DistanceOf(const OpCall& call) {
  if (call.shape(0)[1] != call.shape(1)[1]) return BadInput("", "inner sizes differ");
  return Shape{call.shape(0)[0], call.shape(1)[0]};
}
inline Result<Shape> GramOf(const OpCall& call) {
  return Shape{call.shape(0)[0], call.shape(0)[0]};
}
inline Result<Shape> FirstOf(const OpCall& call) {
  if (call.shape(0) != call.shape(1)) return BadInput("", "shapes differ");
  return call.shape(0);
}

using In = std::span<const Tensor>;
inline double Dot(In in, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += At(in[0], i, k) * At(in[1], k, j);
  return sum;
}
inline double DotBias(In in, int64_t i, int64_t j) {
  return Dot(in, i, j) + in[2].data<double>()[j];
}
// NaN wins, wherever it is: otherwise the result of pieces would depend on where they begin.
inline double Lower(double a, double b) { return std::isnan(a) || a < b ? a : b; }
inline double Higher(double a, double b) { return std::isnan(a) || a > b ? a : b; }
inline double DotRelu(In in, int64_t i, int64_t j) { return Higher(DotBias(in, i, j), 0.0); }
inline double MaxPlus(In in, int64_t i, int64_t j) {
  double most = -std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < in[0].dim(1); ++k) most = Higher(most, At(in[0], i, k) + At(in[1], k, j));
  return most;
}
inline double Distance(In in, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += std::abs(At(in[0], i, k) - At(in[1], j, k));
  return sum;
}
inline double Gram(In in, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += At(in[0], i, k) * At(in[0], j, k);
  return sum;
}
inline double Product(In in, int64_t i, int64_t) {
  double product = 1;
  for (int64_t k = 0; k < in[0].dim(1); ++k) product *= At(in[0], i, k);
  return product;
}
inline double Least(In in, int64_t i, int64_t) {
  double least = At(in[0], i, 0);
  for (int64_t k = 1; k < in[0].dim(1); ++k) least = Lower(least, At(in[0], i, k));
  return least;
}
inline int64_t LeastOfInts(In in, int64_t i, int64_t) {
  const int64_t columns = in[0].dim(1);
  const int64_t* row = in[0].data<int64_t>() + i * columns;
  return *std::min_element(row, row + columns);
}
inline double Most(In in, int64_t i, int64_t) {
  double most = At(in[0], i, 0);
  for (int64_t k = 1; k < in[0].dim(1); ++k) most = Higher(most, At(in[0], i, k));
  return most;
}
inline double Mean(In in, int64_t i, int64_t) {
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += At(in[0], i, k);
  return sum / static_cast<double>(in[0].dim(1));
}
inline double Variance(In in, int64_t i, int64_t j) {
  const double mean = Mean(in, i, j);
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += std::pow(At(in[0], i, k) - mean, 2);
  return sum / static_cast<double>(in[0].dim(1));
}
inline double Norm(In in, int64_t i, int64_t) {
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += At(in[0], i, k) * At(in[0], i, k);
  return std::sqrt(sum);
}
inline int64_t Where(In in, int64_t i, int64_t) {
  int64_t at = 0;
  for (int64_t k = 1; k < in[0].dim(1); ++k)
    if (At(in[0], i, k) > At(in[0], i, at)) at = k;
  return at;
}
inline bool Any(In in, int64_t i, int64_t) {
  for (int64_t k = 0; k < in[0].dim(1); ++k)
    if (Bit(in[0], i, k)) return true;
  return false;
}
inline bool All(In in, int64_t i, int64_t) {
  for (int64_t k = 0; k < in[0].dim(1); ++k)
    if (!Bit(in[0], i, k)) return false;
  return true;
}
inline double Reverse(In in, int64_t i, int64_t j) { return At(in[0], i, in[0].dim(1) - 1 - j); }
inline double Roll(In in, int64_t i, int64_t j) { return At(in[0], i, (j + 1) % in[0].dim(1)); }
inline double Alternating(In in, int64_t i, int64_t j) {
  return At(in[0], i, j) * (j % 2 == 0 ? 1 : -1);
}
inline double Lent(In in, int64_t i, int64_t j) { return in[1].data<double>()[j]; }
inline Result<Shape> LentShape(const OpCall& call) {
  if (call.shape(0)[1] != call.shape(1)[0]) return BadInput("", "shapes differ");
  return call.shape(0);
}
// Sums rows, but index 3 of a row counts twice: not additive once a row has four elements.
inline double FaultySum(In in, int64_t i, int64_t) {
  double sum = 0;
  for (int64_t k = 0; k < in[0].dim(1); ++k) sum += At(in[0], i, k) * (k == 3 ? 2 : 1);
  return sum;
}
// Elementwise, but the last row is doubled.
inline double FaultyCopy(In in, int64_t i, int64_t j) {
  return At(in[0], i, j) * (i + 1 == in[0].dim(0) ? 2 : 1);
}

// A sum with an error too small to show in f32.
inline double AlmostSum(In in, int64_t i, int64_t) {
  double sum = 0;
  for (int64_t j = 0; j < in[0].dim(1); ++j) sum += At(in[0], i, j);
  return sum + 1e-8 * std::sin(sum);
}
inline OpDef AlmostSumOp() {
  OpDef op = ElementOp<double, RowsOf, AlmostSum>("AlmostSum");
  op.infer = [](const OpCall& call) -> Result<std::vector<TensorType>> {
    return std::vector<TensorType>{{ElementType::kF32, TRY(RowsOf(call))}};
  };
  return op;
}

inline std::vector<TestOp> TestOps() {
  const OpExample::Input wide{{ElementType::kF32, {6, 8}}};
  const OpExample::Input other{{ElementType::kF32, {8, 10}}};
  const OpExample::Input bias{{ElementType::kF32, {10}}};
  const OpExample::Input rows{{ElementType::kF32, {10, 8}}};
  const OpExample::Input square{{ElementType::kF32, {8, 8}}};
  const OpExample::Input line{{ElementType::kF32, {8}}};
  const OpExample::Input bits{{ElementType::kBool, {6, 8}}};
  const auto one = [](OpExample::Input a) { return OpExample{.inputs = {a}}; };
  const auto two = [](OpExample::Input a, OpExample::Input b) {
    return OpExample{.inputs = {a, b}};
  };
  return {
      {ElementOp<double, ProductOf, DotBias>("Linear"),
       OpExample{.inputs = {wide, other, bias}},
       "([a,b],[b,c],[c])->([a,c]) reduction={b} partial={2:b} linear={0+2,1+2} max={2} min={2}"},
      {ElementOp<double, ProductOf, DotRelu>("LinearRelu"),
       OpExample{.inputs = {wide, other, bias}},
       "([a,_],[_,b],[b])->([a,b]) max={2} min={2}"},
      {ElementOp<double, ProductOf, Dot>("SquareProduct"),
       two(square, square),
       "([a,b],[b,c])->([a,c]) reduction={b} linear={0,1}"},
      {ElementOp<double, ProductOf, MaxPlus>("MaxPlus"),
       two(wide, other),
       "([a,b],[b,c])->([a,c]) reduction={b:MAX} max={0,1}"},
      {ElementOp<double, DistanceOf, Distance>("Distance"),
       two(wide, rows),
       "([a,b],[c,b])->([a,c]) reduction={b}"},
      {ElementOp<double, GramOf, Gram>("Gram"), one(wide), "([_,a])->([_,_]) reduction={a}"},
      {AlmostSumOp(), one(wide), "([a,_])->([a])"},
      {ElementOp<double, RowsOf, Product>("Prod"), one(wide), "([a,b])->([a]) reduction={b:PROD}"},
      {ElementOp<double, RowsOf, Least>("Amin"),
       one(wide),
       "([a,b])->([a]) reduction={b:MIN} min={0}"},
      {ElementOp<double, RowsOf, Most>("Amax"),
       one(wide),
       "([a,b])->([a]) reduction={b:MAX} max={0}"},
      {ElementOp<double, RowsOf, Mean>("Mean"), one(wide), "([a,_])->([a]) linear={0}"},
      {ElementOp<double, RowsOf, Variance>("Variance"), one(wide), "([a,_])->([a])"},
      {ElementOp<double, RowsOf, Norm>("Norm"), one(wide), "([a,_])->([a])"},
      {ElementOp<int64_t, RowsOf, Where>("ArgMax"), one(wide), "([a,_])->([a])"},
      {ElementOp<bool, RowsOf, Any>("Any"), one(bits), "([a,b])->([a]) reduction={b:OR}"},
      {ElementOp<bool, RowsOf, All>("All"), one(bits), "([a,b])->([a]) reduction={b:AND}"},
      {ElementOp<double, SameAs, Reverse>("Reverse"),
       one(wide),
       "([a,b])->([a,b]) mirror={b} linear={0} max={0} min={0}"},
      {ElementOp<double, SameAs, Roll>("Roll"),
       one(wide),
       "([a,b])->([a,b]) halo={b:0/1} crop={b:0/1} around={b} linear={0} max={0} min={0}"},
      {ElementOp<double, SameAs, Alternating>("Alternating"),
       one(wide),
       "([a,_])->([a,_]) linear={0}"},
      {ElementOp<double, LentShape, Lent>("ExpandAs"),
       two(wide, line),
       "([a,b],[b])->([a,b]) linear={1} max={0,1} min={0,1}"},
      {ElementOp<double, RowsOf, FaultySum>("FaultySum"), one(wide), "([a,_])->([a]) linear={0}"},
      {ElementOp<double, SameAs, FaultyCopy>("FaultyCopy"),
       one(wide),
       "([_,a])->([_,a]) linear={0} max={0} min={0}"},
  };
}

}  // namespace metadist::testing
