// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "metair/ops/broadcast.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/gradient.h"
#include "metair/ops/op_def.h"
#include "metair/ops/strided_copy.h"

// Shared by operators that fold some dims of input 0 (axes: input 1; none = all dims).
namespace metadist {

struct Reduction {
  std::vector<bool> folded;  // by dim of the input
  Shape shape;               // of the output
  int64_t count = 1;         // input elements folded into one output element
};

// Errors: kBadInput for axes that are not known, out of range or listed twice.
Result<Reduction> ReductionOf(const OpCall& call);

// An output of the input's element type.
Result<std::vector<TensorType>> InferNumberReduction(const OpCall& call);
Result<std::vector<TensorType>> InferReduction(const OpCall& call);  // bools too

// One flop for each input element.
Work ReductionWork(const OpCall& call, std::span<const TensorType> outputs);

// Strides, along the dims of `shape`, of an array that has these dims without the folded ones (or
// with size 1): 0 if folded.
std::vector<int64_t> FoldedStrides(const Shape& shape, const std::vector<bool>& folded);

// y[kept dims] = f(...f(f(initial, x0), x1)...) over the folded dims of x, in row-major order.
template <typename T, typename F>
void Fold(const Tensor& x, const std::vector<bool>& folded, Tensor& y, T initial, F f) {
  const T* from = x.data<T>();
  T* to = y.mutable_data<T>();
  std::fill_n(to, y.size(), initial);
  ForEachIndex(x.shape(), {FoldedStrides(x.shape(), folded)}, [&](int64_t i, const auto& at) {
    to[at[0]] = f(to[at[0]], from[i]);
  });
}

// What the gradient of a reduction is written with: output and its gradient, folded dims of size 1.
struct FoldedTerms {
  std::vector<bool> folded;
  Term y;
  Term dy;
};
Result<FoldedTerms> FoldedTermsOf(GradientCall& g);
// dy shared equally by the elements of x that are y, the extreme over the axes.
Term SharedByExtremes(const Term& x,
                      const Term& y,
                      const Term& dy,
                      const std::vector<int64_t>& axes);
// OpDef::gradient of an extreme: elements that have it share it equally.
Result<void> ReducedExtremeGradient(GradientCall& g);

// Reference kernels of reductions. F::Initial(T()) is the fold of no elements, F::Apply(y, x) adds
// one element; overloaded for each element class.
template <typename F>
Result<void> AnyReduction(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Reduction reduction = TRY(ReductionOf(call));
  VisitComputeType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    Fold<T>(
        in[0], reduction.folded, out[0], F::Initial(zero), [](T y, T x) { return F::Apply(y, x); });
  });
  return {};
}
// The same without bools.
template <typename F>
Result<void> NumberReduction(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const Reduction reduction = TRY(ReductionOf(call));
  VisitNumberType(in[0].element(), [&](auto zero) {
    using T = decltype(zero);
    Fold<T>(
        in[0], reduction.folded, out[0], F::Initial(zero), [](T y, T x) { return F::Apply(y, x); });
  });
  return {};
}
// y = G(F(...F(F(0, x0), x1)...)), in f64 for integers too.
template <double (*F)(double, double), double (*G)(double)>
Result<void> RealReduction(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Reduction reduction = TRY(ReductionOf(call));
  Tensor y = Tensor::Zeros({ElementType::kF64, out[0].shape()});
  Fold<double>(in[0].Cast(ElementType::kF64), reduction.folded, y, 0, F);
  double* folded = y.mutable_data<double>();
  std::transform(folded, folded + y.size(), folded, G);
  CopyBytes(y.Cast(out[0].element()), out[0]);
  return {};
}

// Examples over f32; the axes vary.
std::vector<OpExample> ReductionExamples();

}  // namespace metadist
