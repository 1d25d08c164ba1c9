// SPDX-License-Identifier: Apache-2.0
// Batched matrix products by oneDNN. Operands are brought to as few dims as possible: a shared
// right-hand side makes all rows one matrix, equal batches make one batch dim.
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"

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

dnnl::memory::desc Dense(const Dims& dims) {
  return {dims, dnnl::memory::data_type::f32, Strides(Shape(dims))};
}

}  // namespace

Prepared MatMul(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Product product = Align(site.shape(0), site.shape(1));
  if (product.y.size() > DNNL_MAX_NDIMS) return Decline("too many dims");
  if (Total(product.a) == 0 || Total(product.b) == 0) return Decline("an empty operand");
  return CatchOneDnn([&] {
    const auto a = Dense(product.a);
    const auto b = Dense(product.b);
    const auto y = Dense(product.y);
    const dnnl::matmul::primitive_desc desc({a, b, y}, UserScratchpad(), Engine());
    return BindOneDnn(dnnl::matmul(desc),
                      desc.scratchpad_desc(),
                      {{DNNL_ARG_SRC, a, 0}, {DNNL_ARG_WEIGHTS, b, 1}, {DNNL_ARG_DST, y, -1, 0}});
  });
}

}  // namespace metadist::cpu
