// SPDX-License-Identifier: Apache-2.0
// The determinant of every matrix in the last two dims, by elimination with partial pivoting.
#include "metair/ops/det.h"

#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferDet(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  return std::vector<TensorType>{TRY(DetType(call))};
}

// The determinant of a, [n, n], which is overwritten.
double Determinant(std::vector<double> a, int64_t n) {
  const auto at = [&](int64_t i, int64_t j) -> double& {
    return a[static_cast<size_t>(i * n + j)];
  };
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::fabs(at(i, k)) > std::fabs(at(pivot, k))) pivot = i;
    if (at(pivot, k) == 0) return 0;
    if (pivot != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
      product = -product;
    }
    product *= at(k, k);
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = at(i, k) / at(k, k);
      for (int64_t j = k + 1; j < n; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  return product;
}

Result<void> DetReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t n = in[0].shape().back();
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const double* x = in[0].data<double>() + i * n * n;
    y[i] = Determinant({x, x + n * n}, n);
  }
  return {};
}

Work WorkForDet(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, NumElements(call.shape(0)) * call.shape(0).back());
}

Result<void> DetGradient(GradientCall& g) {
  g.Give(0, g.x().Apply("metadist.DetGradient", {g.dy()}));
  return {};
}

}  // namespace

Result<TensorType> DetType(const OpCall& call) {
  TRY(CallCheck(call).Floats(0).RankAtLeast(0, 2).Done());
  const Shape& shape = call.shape(0);
  if (shape[shape.size() - 2] != shape.back())
    return BadCall("matrices must be square, got {}", ShapeText(shape));
  return TensorType{call.type(0).element, Shape(shape.begin(), shape.end() - 2)};
}

std::vector<OpExample> DetExamples() {
  return {{.inputs = {F32({4, 4})}}, {.inputs = {F32({2, 5, 3, 3})}}};
}

OpDef MakeDet() {
  return {.name = "Det",
          .since_version = 22,
          .infer = InferDet,
          .reference = DetReference,
          .gradient = DetGradient,
          .work = WorkForDet,
          .examples = DetExamples};
}

}  // namespace metadist::ops
