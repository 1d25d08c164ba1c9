// SPDX-License-Identifier: Apache-2.0
// Batched matrix products. Operands are reduced to as few dims as possible: a shared right-hand
// side makes all rows one matrix, equal batches become one batch dim. Operands may have any
// strides, which covers transposed ones.
#include <algorithm>

#include "executor/cpu/half_product.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/matrix_batch.h"

namespace metadist::cpu {
namespace {

using Dims = std::vector<int64_t>;
using Operand = MatrixBatch::Operand;

// An operand with at least two dims. column: a one-dim operand is a column rather than a row.
Operand OperandOf(const KernelSite& site, size_t input, bool column) {
  Operand operand{site.shape(input), site.StridesOf(input)};
  if (operand.dims.size() > 1) return operand;
  operand.dims.insert(column ? operand.dims.end() : operand.dims.begin(), 1);
  operand.strides.insert(column ? operand.strides.end() : operand.strides.begin(),
                         column ? 1 : operand.dims.back());
  return operand;
}

// Merges all dims but the last two, if one stride covers them.
bool MergeBatch(Operand& operand) {
  const size_t rank = operand.dims.size();
  int64_t size = 1;
  int64_t stride = 0;
  for (size_t d = rank - 2; d-- > 0;) {
    if (operand.dims[d] == 1) continue;
    if (size == 1)
      stride = operand.strides[d];
    else if (operand.strides[d] != stride * size)
      return false;
    size *= operand.dims[d];
  }
  operand = {{size, operand.dims[rank - 2], operand.dims[rank - 1]},
             {stride, operand.strides[rank - 2], operand.strides[rank - 1]}};
  return true;
}

// Merges the batch into the rows of one matrix, if the rows have one stride.
bool MergeRows(Operand& operand) {
  if (!MergeBatch(operand)) return false;
  const int64_t batch = operand.dims[0];
  const int64_t rows = operand.dims[1];
  if (batch != 1 && rows != 1 && operand.strides[0] != operand.strides[1] * rows) return false;
  const int64_t step = rows == 1 && batch != 1 ? operand.strides[0] : operand.strides[1];
  operand = {{batch * rows, operand.dims[2]}, {step, operand.strides[2]}};
  return true;
}

void AddBatch(Operand& operand, size_t rank) {
  const size_t count = rank - operand.dims.size();
  operand.dims.insert(operand.dims.begin(), count, 1);
  operand.strides.insert(operand.strides.begin(), count, NumElements(operand.dims));
}

// The result, which is row-major.
Operand ResultOf(Dims dims) {
  Dims strides = Strides(dims);
  return {std::move(dims), std::move(strides)};
}

Operand MatrixOf(const Operand& operand) {
  return {{operand.dims.end() - 2, operand.dims.end()},
          {operand.strides.end() - 2, operand.strides.end()}};
}

// The operands, reduced to as few dims as possible.
MatrixBatch Align(Operand a, Operand b) {
  const auto batch = [](const Operand& x) { return Dims(x.dims.begin(), x.dims.end() - 2); };
  const int64_t m = a.dims[a.dims.size() - 2];
  const int64_t n = b.dims.back();
  if (NumElements(batch(b)) == 1) {
    Operand rows = a;
    if (MergeRows(rows)) return {rows, MatrixOf(b), ResultOf({rows.dims[0], n})};
  }
  Operand merged_a = a;
  Operand merged_b = b;
  if (batch(a) == batch(b) && MergeBatch(merged_a) && MergeBatch(merged_b)) {
    a = merged_a;
    b = merged_b;
  }
  const size_t rank = std::max(a.dims.size(), b.dims.size());
  AddBatch(a, rank);
  AddBatch(b, rank);
  Dims y;
  for (size_t i = 0; i + 2 < rank; ++i) y.push_back(std::max(a.dims[i], b.dims[i]));
  y.insert(y.end(), {m, n});
  return {a, b, ResultOf(y)};
}

// For row-major operands where b is one matrix, or one for each matrix of a.
Prepared HalfMatMul(const KernelSite& site) {
  const Shape& a = site.shape(0);
  const Shape& b = site.shape(1);
  if (site.strided() || !site.out_strides.empty() || a.empty() || b.size() < 2)
    return Decline("f32 only");
  const int64_t k = a.back();
  const int64_t n = b.back();
  if (b.size() == 2) return PrepareHalfProduct(site, {1, k == 0 ? 0 : NumElements(a) / k, k, n});
  if (a.size() != b.size() || !std::equal(a.begin(), a.end() - 2, b.begin()))
    return Decline("f32 only");
  const int64_t batch = NumElements(Shape(a.begin(), a.end() - 2));
  return PrepareHalfProduct(site, {batch, a[a.size() - 2], k, n});
}

}  // namespace

Prepared MatMul(const KernelSite& site) {
  if (IsHalf(site.element(0))) return HalfMatMul(site);
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  MatrixBatch batch = Align(OperandOf(site, 0, false), OperandOf(site, 1, true));
  batch.b.input = 1;
  return PrepareProducts(site, batch);
}

}  // namespace metadist::cpu
