// SPDX-License-Identifier: Apache-2.0
// The gradient of x in y = Det(x), given that of y: dx = dy * the cofactors of x. They exist for
// singular matrices too.
//
// Elimination with full pivoting gives x = P' L U Q' with permutations P and Q, where only the last
// element s of the diagonal of U may be 0, unless the rank is below n - 1 and all cofactors are 0.
// The adjugate is antimultiplicative, so that adj(x) = det(P) det(Q) Q adj(U) inv(L) P, and
//
//   U = [[V, u], [0, s]]  =>  adj(U) = det(V) [[s inv(V), -inv(V) u], [0, 1]]
//
// divides by no element that may be 0. n^3 steps for each matrix.
#include <cmath>
#include <numeric>
#include <utility>

#include "metair/ops/call_check.h"
#include "metair/ops/det.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferDetGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).SameElement(0, 1).Done());
  const TensorType y = TRY(DetType(call));
  if (call.shape(1) != y.shape)
    return BadCall(
        "the gradient of y must be {}, got {}", ShapeText(y.shape), ShapeText(call.shape(1)));
  return std::vector<TensorType>{call.type(0)};
}

// A matrix [n, n] and its elimination.
class Elimination {
 public:
  Elimination(const double* matrix, int64_t n)
      : n_(n), a_(matrix, matrix + n * n), rows_(static_cast<size_t>(n)), columns_(rows_) {
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
    for (int64_t k = 0; k < n && !low_rank_; ++k) Eliminate(k);
  }

  // Writes the cofactors times `factor`; `to` holds zeros.
  void Cofactors(double factor, double* to) const {
    if (low_rank_) return;
    for (int64_t row = 0; row < n_; ++row) {
      const std::vector<double> column = AdjugateColumn(row);
      for (int64_t i = 0; i < n_; ++i)
        to[row * n_ + columns_[static_cast<size_t>(i)]] =
            factor * product_ * column[static_cast<size_t>(i)];
    }
  }

 private:
  double& at(int64_t i, int64_t j) { return a_[static_cast<size_t>(i * n_ + j)]; }
  double at(int64_t i, int64_t j) const { return a_[static_cast<size_t>(i * n_ + j)]; }

  void Eliminate(int64_t k) {
    int64_t row = k;
    int64_t column = k;
    for (int64_t i = k; i < n_; ++i)
      for (int64_t j = k; j < n_; ++j)
        if (std::fabs(at(i, j)) > std::fabs(at(row, column))) row = i, column = j;
    for (int64_t j = 0; j < n_; ++j) std::swap(at(k, j), at(row, j));
    for (int64_t i = 0; i < n_; ++i) std::swap(at(i, k), at(i, column));
    std::swap(rows_[static_cast<size_t>(k)], rows_[static_cast<size_t>(row)]);
    std::swap(columns_[static_cast<size_t>(k)], columns_[static_cast<size_t>(column)]);
    if ((row != k) != (column != k)) product_ = -product_;
    if (k == n_ - 1) return;
    low_rank_ = at(k, k) == 0;
    product_ *= at(k, k);
    for (int64_t i = k + 1; i < n_ && !low_rank_; ++i) {
      at(i, k) /= at(k, k);
      for (int64_t j = k + 1; j < n_; ++j) at(i, j) -= at(i, k) * at(k, j);
    }
  }

  // Column `row` of adj(U) inv(L) P, over det(V).
  std::vector<double> AdjugateColumn(int64_t row) const {
    std::vector<double> b(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      double sum = rows_[static_cast<size_t>(i)] == row ? 1 : 0;
      for (int64_t j = 0; j < i; ++j) sum -= at(i, j) * b[static_cast<size_t>(j)];
      b[static_cast<size_t>(i)] = sum;
    }
    const double last = b.back();
    for (int64_t i = n_ - 2; i >= 0; --i) {
      double sum = at(n_ - 1, n_ - 1) * b[static_cast<size_t>(i)] - at(i, n_ - 1) * last;
      for (int64_t j = i + 1; j < n_ - 1; ++j) sum -= at(i, j) * b[static_cast<size_t>(j)];
      b[static_cast<size_t>(i)] = sum / at(i, i);
    }
    return b;
  }

  int64_t n_;
  std::vector<double> a_;         // L below the diagonal, U from it on
  std::vector<int64_t> rows_;     // of the matrix, by row of L
  std::vector<int64_t> columns_;  // of the matrix, by column of U
  double product_ = 1;            // det(P) det(Q) det(V)
  bool low_rank_ = false;         // below n - 1
};

Result<void> DetGradientReference(const OpCall&,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  const int64_t n = in[0].shape().back();
  for (int64_t i = 0; i < in[1].size(); ++i)
    Elimination(in[0].data<double>() + i * n * n, n)
        .Cofactors(in[1].data<double>()[i], out[0].mutable_data<double>() + i * n * n);
  return {};
}

Work WorkForDetGradient(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 3 * NumElements(call.shape(0)) * call.shape(0).back());
}

std::vector<OpExample> DetGradientExamples() {
  std::vector<OpExample> examples = DetExamples();
  for (OpExample& example : examples) {
    const Shape& x = example.inputs[0].type.shape;
    example.inputs.push_back(F32(Shape(x.begin(), x.end() - 2)));
  }
  return examples;
}

}  // namespace

OpDef MakeDetGradient() {
  return {.domain = "metadist",
          .name = "DetGradient",
          .infer = InferDetGradient,
          .reference = DetGradientReference,
          .work = WorkForDetGradient,
          .examples = DetGradientExamples};
}

}  // namespace metadist::ops
