// SPDX-License-Identifier: Apache-2.0
// y = a b over the last two dims, leading dims broadcast; a vector is a single row (left) or column
// (right).
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/matrix_product.h"
#include "metair/ops/ops.h"
#include "metair/ops/product_gradient.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMatMul(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).SameElement(0, 1).Done());
  return std::vector<TensorType>{
      {call.type(0).element, TRY(MatrixProductShape(call.shape(0), call.shape(1)))}};
}

Result<void> MatMulReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const MatrixOperands x = TRY(AlignMatrices(in[0].shape(), in[1].shape()));
  VisitNumberType(out[0].element(),
                  [&](auto zero) { MultiplyMatrices<decltype(zero)>(x, in[0], in[1], out[0]); });
  return {};
}

Work WorkForMatMul(const OpCall& call, std::span<const TensorType> outputs) {
  Work work = MatrixProductWork(call.shape(0), call.shape(1));
  work.bytes = call.type(0).bytes() + call.type(1).bytes() + outputs[0].bytes();
  return work;
}

std::vector<OpExample> MatMulExamples() {
  return {{.inputs = {F32({4, 6}), F32({6, 8})}},
          {.inputs = {F32({2, 3, 4, 6}), F32({2, 3, 6, 8})}},
          {.inputs = {F32({2, 4, 6}), F32({6, 8})}},
          {.inputs = {F32({3, 1, 4, 6}), F32({2, 6, 8})}},
          {.inputs = {F32({6}), F32({2, 6, 8})}},
          {.inputs = {F32({2, 4, 6}), F32({6})}}};
}

// The indices of the leading dims of an operand, aligned with the last of the others.
std::vector<size_t> BatchIndices(const Shape& shape, size_t dims) {
  std::vector<size_t> indices;
  for (size_t d = 0; d + 2 < shape.size(); ++d) indices.push_back(3 + dims - shape.size() + d);
  return indices;
}

Result<void> MatMulGradient(GradientCall& g) {
  const Shape& a = g.call().shape(0);
  const Shape& b = g.call().shape(1);
  const size_t dims = std::max(a.size(), b.size());
  enum : size_t { kRow, kColumn, kInner, kBatch };
  SumOfProducts product{{g.x(0), g.x(1)}, {BatchIndices(a, dims), BatchIndices(b, dims)}, {}};
  product.kept = BatchIndices(a.size() > b.size() ? a : b, dims);
  if (a.size() > 1) {
    product.indices[0].push_back(kRow);
    product.kept.push_back(kRow);
  }
  product.indices[0].push_back(kInner);
  product.indices[1].push_back(kInner);
  if (b.size() > 1) {
    product.indices[1].push_back(kColumn);
    product.kept.push_back(kColumn);
  }
  for (size_t i = 0; i < 2; ++i) g.Give(i, TRY(GradientOfFactor(product, i, g.dy())));
  return {};
}

}  // namespace

OpDef MakeMatMul() {
  return {.name = "MatMul",
          .since_version = 13,
          .infer = InferMatMul,
          .reference = MatMulReference,
          .gradient = MatMulGradient,
          .work = WorkForMatMul,
          .examples = MatMulExamples};
}

}  // namespace metadist::ops
