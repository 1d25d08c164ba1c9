// SPDX-License-Identifier: Apache-2.0
// y = alpha A B + beta C, with A and B optionally transposed and C broadcast to y; C is optional.
#include <cmath>
#include <utility>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/product_gradient.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

struct GemmSizes {
  int64_t m, n, k;
};

Result<GemmSizes> SizesOfGemm(const OpCall& call) {
  Shape a = call.shape(0);
  Shape b = call.shape(1);
  if (call.attributes->Int("transA", 0) != 0) std::swap(a[0], a[1]);
  if (call.attributes->Int("transB", 0) != 0) std::swap(b[0], b[1]);
  if (a[1] != b[0])
    return BadCall("inner sizes must be equal, got {} and {}", ShapeText(a), ShapeText(b));
  return GemmSizes{a[0], b[1], a[1]};
}

Result<std::vector<TensorType>> InferGemm(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .Numbers(0)
          .SameElement(0, 1)
          .SameElement(0, 2)
          .Rank(0, 2, 2)
          .Rank(1, 2, 2)
          .Done());
  const GemmSizes sizes = TRY(SizesOfGemm(call));
  const Shape shape{sizes.m, sizes.n};
  if (call.has(2) && TRY(Broadcast(shape, call.shape(2))) != shape)
    return BadCall(
        "input 2 must broadcast to {}, got {}", ShapeText(shape), ShapeText(call.shape(2)));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

double GemmProduct(double a, double b) { return a * b; }
double GemmSum(double a, double b) { return a + b; }
int64_t GemmProduct(int64_t a, int64_t b) { return WrapMul(a, b); }
int64_t GemmSum(int64_t a, int64_t b) { return WrapAdd(a, b); }

struct Scales {
  double alpha = 1;
  double beta = 1;
};

// alpha product + beta c. Integers are scaled as floats and then truncated, but exactly if both
// factors are whole numbers.
double Scaled(double product, const double* c, const Scales& by) {
  return by.alpha * product + (c == nullptr ? 0 : by.beta * *c);
}
int64_t Scaled(int64_t product, const int64_t* c, const Scales& by) {
  if (by.alpha != std::trunc(by.alpha) || by.beta != std::trunc(by.beta)) {
    const double added = c == nullptr ? 0 : by.beta * static_cast<double>(*c);
    return static_cast<int64_t>(by.alpha * static_cast<double>(product) + added);
  }
  const int64_t scaled = WrapMul(static_cast<int64_t>(by.alpha), product);
  return c == nullptr ? scaled : WrapAdd(scaled, WrapMul(static_cast<int64_t>(by.beta), *c));
}

template <typename T>
void MultiplyAndAdd(const OpCall& call,
                    const GemmSizes& size,
                    std::span<const Tensor> in,
                    Tensor& y) {
  const Scales by{call.attributes->Float("alpha", 1), call.attributes->Float("beta", 1)};
  const bool trans_a = call.attributes->Int("transA", 0) != 0;
  const bool trans_b = call.attributes->Int("transB", 0) != 0;
  const T* a = in[0].data<T>();
  const T* b = in[1].data<T>();
  const T* c = call.has(2) ? in[2].data<T>() : nullptr;
  T* to = y.mutable_data<T>();
  ForEachIndex(y.shape(),
               {BroadcastStrides(call.has(2) ? in[2].shape() : Shape{}, y.shape())},
               [&](int64_t i, const auto& at) {
                 const int64_t row = i / size.n;
                 const int64_t col = i % size.n;
                 T sum = 0;
                 for (int64_t l = 0; l < size.k; ++l)
                   sum = GemmSum(sum,
                                 GemmProduct(a[trans_a ? l * size.m + row : row * size.k + l],
                                             b[trans_b ? col * size.k + l : l * size.n + col]));
                 to[i] = Scaled(sum, c == nullptr ? nullptr : c + at[0], by);
               });
}

Result<void> GemmReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const GemmSizes sizes = TRY(SizesOfGemm(call));
  VisitNumberType(out[0].element(),
                  [&](auto zero) { MultiplyAndAdd<decltype(zero)>(call, sizes, in, out[0]); });
  return {};
}

Work WorkForGemm(const OpCall& call, std::span<const TensorType> outputs) {
  const GemmSizes sizes = SizesOfGemm(call).value();
  const int64_t flops = 2 * sizes.m * sizes.n * sizes.k;
  Work work = FlopsWork(call, outputs, flops + (call.has(2) ? sizes.m * sizes.n : 0));
  work.batch = 1;
  work.m = sizes.m;
  work.n = sizes.n;
  work.k = sizes.k;
  return work;
}

std::vector<OpExample> GemmExamples() {
  return {{.inputs = {F32({4, 6}), F32({6, 8}), F32({8})}},
          {.inputs = {F32({4, 6}), F32({8, 6}), F32({8})}, .attributes = {{"transB", 1}}},
          {.inputs = {F32({6, 4}), F32({6, 8})}, .attributes = {{"transA", 1}, {"alpha", 0.5}}},
          {.inputs = {F32({4, 6}), F32({6, 8}), F32({4, 8})},
           .attributes = {{"alpha", 2.0}, {"beta", 0.5}}}};
}

Result<void> GemmGradient(GradientCall& g) {
  std::vector<size_t> a{0, 2};
  std::vector<size_t> b{2, 1};
  if (g.attributes().Int("transA", 0) != 0) std::swap(a[0], a[1]);
  if (g.attributes().Int("transB", 0) != 0) std::swap(b[0], b[1]);
  const double alpha = g.attributes().Float("alpha", 1);
  const Term dy = alpha == 1 ? g.dy() : alpha * g.dy();
  const SumOfProducts product{{g.x(0), g.x(1)}, {a, b}, {0, 1}};
  for (size_t i = 0; i < 2; ++i) g.Give(i, TRY(GradientOfFactor(product, i, dy)));
  const double beta = g.attributes().Float("beta", 1);
  g.Give(2, beta == 1 ? g.dy() : beta * g.dy());
  return {};
}

}  // namespace

OpDef MakeGemm() {
  return {.name = "Gemm",
          .since_version = 13,
          .infer = InferGemm,
          .reference = GemmReference,
          .gradient = GemmGradient,
          .work = WorkForGemm,
          .examples = GemmExamples};
}

}  // namespace metadist::ops
