// SPDX-License-Identifier: Apache-2.0
// y = a b over the last two dims, leading dims broadcast; a vector stands for one row or column.
#include <fmt/format.h>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

// The operands as matrices: a vector a gets a leading 1, a vector b a trailing 1.
struct Operands {
  Shape a, b, batch;
  int64_t m, n, k;
};

Result<Operands> Align(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) return BadInput("", "operands must have at least one dim");
  Operands x{a, b, {}, 0, 0, 0};
  if (a.size() == 1) x.a.insert(x.a.begin(), 1);
  if (b.size() == 1) x.b.push_back(1);
  x.m = x.a[x.a.size() - 2];
  x.k = x.a.back();
  x.n = x.b.back();
  if (x.b[x.b.size() - 2] != x.k)
    return BadInput("", fmt::format("inner sizes of {} and {} differ", ShapeText(a), ShapeText(b)));
  x.batch = TRY(Broadcast({x.a.begin(), x.a.end() - 2}, {x.b.begin(), x.b.end() - 2}));
  return x;
}

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).SameElement(0, 1).Done());
  const Operands x = TRY(Align(call.shape(0), call.shape(1)));
  Shape shape = x.batch;
  if (call.rank(0) > 1) shape.push_back(x.m);
  if (call.rank(1) > 1) shape.push_back(x.n);
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

void MultiplyAdd(double a, double b, double& sum) { sum += a * b; }
void MultiplyAdd(int64_t a, int64_t b, int64_t& sum) { sum = WrapAdd(sum, WrapMul(a, b)); }

template <typename T>
void Multiply(const Operands& x, const Tensor& a, const Tensor& b, Tensor& y) {
  const T* left = a.data<T>();
  const T* right = b.data<T>();
  T* out = y.mutable_data<T>();
  const Shape a_batch(x.a.begin(), x.a.end() - 2);
  const Shape b_batch(x.b.begin(), x.b.end() - 2);
  ForEachIndex(x.batch,
               {BroadcastStrides(a_batch, x.batch), BroadcastStrides(b_batch, x.batch)},
               [&](int64_t i, const std::vector<int64_t>& at) {
                 const T* p = left + at[0] * x.m * x.k;
                 const T* q = right + at[1] * x.k * x.n;
                 T* r = out + i * x.m * x.n;
                 for (int64_t row = 0; row < x.m; ++row)
                   for (int64_t l = 0; l < x.k; ++l)
                     for (int64_t col = 0; col < x.n; ++col)
                       MultiplyAdd(p[row * x.k + l], q[l * x.n + col], r[row * x.n + col]);
               });
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Operands x = TRY(Align(in[0].shape(), in[1].shape()));
  VisitNumberType(out[0].element(),
                  [&](auto zero) { Multiply<decltype(zero)>(x, in[0], in[1], out[0]); });
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  const Operands x = Align(call.shape(0), call.shape(1)).value();
  const int64_t batch = NumElements(x.batch);
  return {.flops = 2 * batch * x.m * x.n * x.k,
          .bytes = call.type(0).bytes() + call.type(1).bytes() + outputs[0].bytes(),
          .batch = batch,
          .m = x.m,
          .n = x.n,
          .k = x.k};
}

std::vector<OpExample> Examples() {
  using example::F32;
  return {{.inputs = {F32({4, 6}), F32({6, 8})}},
          {.inputs = {F32({2, 3, 4, 6}), F32({2, 3, 6, 8})}},
          {.inputs = {F32({2, 4, 6}), F32({6, 8})}},
          {.inputs = {F32({3, 1, 4, 6}), F32({2, 6, 8})}},
          {.inputs = {F32({6}), F32({2, 6, 8})}},
          {.inputs = {F32({2, 4, 6}), F32({6})}}};
}

}  // namespace

OpDef MakeMatMul() {
  return {.name = "MatMul",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__MatMul.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
