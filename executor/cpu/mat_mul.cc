// SPDX-License-Identifier: Apache-2.0
// Batched matrix products by oneDNN, or plain ones where it asks for much scratch memory. Operands
// are brought to as few dims as possible: a shared right-hand side makes all rows one matrix, equal
// batches make one batch dim.
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/plain_product.h"

namespace metadist::cpu {
namespace {

using Dims = dnnl::memory::dims;

struct Product {
  Dims a, b, y;
};

// Batch dims with leading ones up to `rank`.
Dims BatchOf(const Shape& shape, size_t rank) {
  Dims dims(shape.begin(), shape.end() - 2);
  dims.insert(dims.begin(), rank - dims.size(), 1);
  return dims;
}

int64_t Total(const Dims& dims) {
  int64_t product = 1;
  for (int64_t size : dims) product *= size;
  return product;
}

Product Align(Shape a, Shape b) {
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const int64_t m = a[a.size() - 2];
  const int64_t k = a.back();
  const int64_t n = b.back();
  const size_t rank = std::max(a.size(), b.size()) - 2;
  Dims left = BatchOf(a, rank);
  Dims right = BatchOf(b, rank);
  if (Total(right) == 1) return {{Total(left) * m, k}, {k, n}, {Total(left) * m, n}};
  if (left == right) left = right = {Total(left)};
  Product product{left, right, {}};
  for (size_t i = 0; i < left.size(); ++i) product.y.push_back(std::max(left[i], right[i]));
  product.a.insert(product.a.end(), {m, k});
  product.b.insert(product.b.end(), {k, n});
  product.y.insert(product.y.end(), {m, n});
  return product;
}

// Which matrix of an operand goes into matrix `index` of the result: batch dims of 1 are repeated.
int64_t MatrixAt(const Dims& operand, const Dims& result, int64_t index) {
  int64_t at = 0;
  int64_t step = 1;
  for (size_t d = result.size() - 2; d-- > 0;) {
    if (operand[d] > 1) at += index % result[d] * step;
    step *= operand[d];
    index /= result[d];
  }
  return at;
}

dnnl::memory::desc Dense(const Dims& dims) {
  return {dims, dnnl::memory::data_type::f32, Strides(Shape(dims))};
}

// One matrix of the batch.
PlainProduct PlainOf(const Product& dims) {
  const size_t rank = dims.y.size();
  PlainProduct product;
  product.m = dims.y[rank - 2];
  product.n = product.b_row = dims.y[rank - 1];
  product.k = product.a_row = dims.a[rank - 1];
  return product;
}

Prepared Plain(const Product& dims, int64_t limit) {
  const PlainProduct product = PlainOf(dims);
  const int64_t bytes = product.ScratchBytes(limit);
  return Accept(
      "plain",
      [product, dims, bytes](const KernelArgs& args) -> Result<void> {
        const auto* a = reinterpret_cast<const float*>(args.inputs[0]);
        const auto* b = reinterpret_cast<const float*>(args.inputs[1]);
        auto* y = reinterpret_cast<float*>(args.outputs[0]);
        const int64_t count = Total(dims.y) / (product.m * product.n);
        for (int64_t i = 0; i < count; ++i, y += product.m * product.n)
          product.Run(a + MatrixAt(dims.a, dims.y, i) * product.m * product.k,
                      b + MatrixAt(dims.b, dims.y, i) * product.k * product.n,
                      y,
                      reinterpret_cast<float*>(args.scratch),
                      bytes);
        return {};
      },
      bytes);
}

}  // namespace

Prepared MatMul(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Product product = Align(site.shape(0), site.shape(1));
  if (product.y.size() > DNNL_MAX_NDIMS) return Decline("too many dims");
  if (Total(product.a) == 0 || Total(product.b) == 0) return Decline("an empty operand");
  const int64_t limit = ScratchLimit(site);
  if (PlainOf(product).small()) return Plain(product, limit);
  Prepared prepared = CatchOneDnn([&] {
    const auto a = Dense(product.a);
    const auto b = Dense(product.b);
    const auto y = Dense(product.y);
    const dnnl::matmul::primitive_desc desc({a, b, y}, UserScratchpad(), Engine());
    return BindOneDnn(dnnl::matmul(desc),
                      desc.scratchpad_desc(),
                      {{DNNL_ARG_SRC, a, 0}, {DNNL_ARG_WEIGHTS, b, 1}, {DNNL_ARG_DST, y, -1, 0}});
  });
  if (prepared.ok() && prepared.scratch_bytes <= limit) return prepared;
  return Plain(product, limit);
}

}  // namespace metadist::cpu
