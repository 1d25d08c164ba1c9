// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/matrix_product.h"

#include "metair/ops/call_check.h"

namespace metadist {

Result<MatrixOperands> AlignMatrices(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) return BadCall("operands must have at least one dim");
  MatrixOperands x{a, b, {}, 0, 0, 0};
  if (a.size() == 1) x.a.insert(x.a.begin(), 1);
  if (b.size() == 1) x.b.push_back(1);
  x.m = x.a[x.a.size() - 2];
  x.k = x.a.back();
  x.n = x.b.back();
  if (x.b[x.b.size() - 2] != x.k)
    return BadCall("inner sizes of {} and {} differ", ShapeText(a), ShapeText(b));
  x.batch = TRY(Broadcast({x.a.begin(), x.a.end() - 2}, {x.b.begin(), x.b.end() - 2}));
  return x;
}

Result<Shape> MatrixProductShape(const Shape& a, const Shape& b) {
  const MatrixOperands x = TRY(AlignMatrices(a, b));
  Shape shape = x.batch;
  if (a.size() > 1) shape.push_back(x.m);
  if (b.size() > 1) shape.push_back(x.n);
  return shape;
}

Work MatrixProductWork(const Shape& a, const Shape& b) {
  const MatrixOperands x = AlignMatrices(a, b).value();
  const int64_t batch = NumElements(x.batch);
  return {.flops = 2 * batch * x.m * x.n * x.k, .batch = batch, .m = x.m, .n = x.n, .k = x.k};
}

}  // namespace metadist
