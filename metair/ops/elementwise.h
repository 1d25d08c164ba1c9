// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ops/broadcast.h"
#include "metair/ops/op_def.h"

// Shared by elementwise operators: all inputs broadcast (NumPy rules) to the output.
namespace metadist {

// One input; the output has its type.
Result<std::vector<TensorType>> InferFloatUnary(const OpCall& call);
Result<std::vector<TensorType>> InferNumberUnary(const OpCall& call);
// Two inputs of one element type, which the output has too.
Result<std::vector<TensorType>> InferNumberBinary(const OpCall& call);
// Two inputs of one integer type, which the output has too.
Result<std::vector<TensorType>> InferIntegerBinary(const OpCall& call);
// Two inputs of bools; the output is bool.
Result<std::vector<TensorType>> InferLogical(const OpCall& call);
// Two inputs of one element type; the output is bool.
Result<std::vector<TensorType>> InferOrdering(const OpCall& call);
Result<std::vector<TensorType>> InferEquality(const OpCall& call);
// One or more inputs of one element type, which the output has too.
Result<std::vector<TensorType>> InferVariadic(const OpCall& call);

// Integer arithmetic that wraps around as two's complement.
inline int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t WrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t WrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// y[i] = f(x[i]); X and Y are compute types.
template <typename X, typename Y, typename F>
void MapUnary(const Tensor& x, Tensor& y, F f) {
  const X* in = x.data<X>();
  Y* out = y.mutable_data<Y>();
  const int64_t count = y.size();
  for (int64_t i = 0; i < count; ++i) out[i] = f(in[i]);
}

// y[i] = f(a[i], b[i]) under broadcasting.
template <typename X, typename Y, typename F>
void MapBinary(const Tensor& a, const Tensor& b, Tensor& y, F f) {
  const X* left = a.data<X>();
  const X* right = b.data<X>();
  Y* out = y.mutable_data<Y>();
  ForEachIndex(y.shape(),
               {BroadcastStrides(a.shape(), y.shape()), BroadcastStrides(b.shape(), y.shape())},
               [&](int64_t i, const auto& at) { out[i] = f(left[at[0]], right[at[1]]); });
}

// Reference kernels that apply a function to one element or two.
template <double (*F)(double)>
Result<void> FloatUnary(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  MapUnary<double, double>(in[0], out[0], F);
  return {};
}

template <double (*F)(double), int64_t (*G)(int64_t)>
Result<void> NumberUnary(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (ClassOf(in[0].element()) == ElementClass::kFloat)
    MapUnary<double, double>(in[0], out[0], F);
  else
    MapUnary<int64_t, int64_t>(in[0], out[0], G);
  return {};
}

template <double (*F)(double, double), int64_t (*G)(int64_t, int64_t)>
Result<void> NumberBinary(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (ClassOf(in[0].element()) == ElementClass::kFloat)
    MapBinary<double, double>(in[0], in[1], out[0], F);
  else
    MapBinary<int64_t, int64_t>(in[0], in[1], out[0], G);
  return {};
}

template <int64_t (*F)(int64_t, int64_t)>
Result<void> IntegerBinary(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  MapBinary<int64_t, int64_t>(in[0], in[1], out[0], F);
  return {};
}

template <bool (*F)(bool, bool)>
Result<void> LogicalBinary(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  MapBinary<bool, bool>(in[0], in[1], out[0], F);
  return {};
}

// Comparator: a function object such as std::less<>.
template <typename Comparator>
Result<void> Comparison(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  switch (ClassOf(in[0].element())) {
    case ElementClass::kFloat:
      MapBinary<double, bool>(in[0], in[1], out[0], Comparator());
      break;
    case ElementClass::kInt:
      MapBinary<int64_t, bool>(in[0], in[1], out[0], Comparator());
      break;
    case ElementClass::kBool:
      MapBinary<bool, bool>(in[0], in[1], out[0], Comparator());
      break;
  }
  return {};
}

// y = f(...f(f(x0, x1), x2)...), all inputs broadcast to y.
template <double (*F)(double, double), int64_t (*G)(int64_t, int64_t)>
Result<void> NumberVariadic(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Shape& shape = out[0].shape();
  const auto fold = [&](auto* y, auto f) {
    using T = std::remove_pointer_t<decltype(y)>;
    for (size_t i = 0; i < in.size(); ++i) {
      const T* x = in[i].data<T>();
      ForEachIndex(
          shape, {BroadcastStrides(in[i].shape(), shape)}, [&](int64_t at, const auto& from) {
            y[at] = i == 0 ? x[from[0]] : f(y[at], x[from[0]]);
          });
    }
  };
  if (ClassOf(out[0].element()) == ElementClass::kFloat)
    fold(out[0].mutable_data<double>(), F);
  else
    fold(out[0].mutable_data<int64_t>(), G);
  return {};
}

// OpDef::gradient of the extreme of all inputs: inputs that have it share it equally.
Result<void> ExtremeGradient(GradientCall& g);

// Input 0 is > 0.
std::vector<InputDomain> PositiveDomain(const OpCall& call);

// Examples: one tensor; two tensors of equal shape and with broadcasting.
std::vector<OpExample> UnaryExamples();
std::vector<OpExample> BinaryExamples();
// The same for integers; for bools.
std::vector<OpExample> IntegerExamples();
std::vector<OpExample> LogicalExamples();
// The same, and with one and three inputs.
std::vector<OpExample> VariadicExamples();

}  // namespace metadist
