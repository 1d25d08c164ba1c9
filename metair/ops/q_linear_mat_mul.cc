// SPDX-License-Identifier: Apache-2.0
// y = a b over the last two dims, where a, b and y are quantised, each standing for (integer - zero
// point) scale; a and y may have scales and zero points per row, b per column.
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/matrix_product.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"
#include "metair/ops/quantized_product.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kA, kScaleA, kZeroA, kB, kScaleB, kZeroB, kScaleY, kZeroY };

Result<std::vector<TensorType>> InferQLinearMatMul(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(8);
  for (size_t i : {kA, kB, kZeroY}) check.Integers(i);
  for (size_t i : {kScaleA, kScaleB, kScaleY}) check.Floats(i);
  TRY(check.SameElement(kA, kZeroA).SameElement(kB, kZeroB).Done());
  const ElementType element = call.type(kZeroY).element;
  TRY(check.That(IsByte(element), "the output must hold 8-bit integers").Done());
  const Shape shape = TRY(MatrixProductShape(call.shape(kA), call.shape(kB)));
  for (size_t i : {kScaleA, kZeroA}) TRY(RowsShape(call.shape(kA), call.shape(i)));
  for (size_t i : {kScaleB, kZeroB}) TRY(ColumnsShape(call.shape(kB), call.shape(i)));
  for (size_t i : {kScaleY, kZeroY}) {
    const Shape parameter = TRY(RowsShape(shape, call.shape(i)));
    if (TRY(Broadcast(shape, parameter)) != shape)
      return BadCall("the scale of the output must broadcast to it");
  }
  return std::vector<TensorType>{{element, shape}};
}

// A parameter broadcast to the shape of its operand.
template <typename T>
Tensor Spread(const Tensor& parameter, const Shape& as, const Shape& shape) {
  const Tensor from = parameter.Reshaped(as);
  Tensor wide = Tensor::Zeros({from.element(), shape});
  MapBinary<T, T>(from, from, wide, [](T a, T) { return a; });
  return wide;
}

Result<void> QLinearMatMulReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  const ElementType element = call.type(kZeroY).element;
  const auto rows = [&](size_t i, const Shape& of) { return RowsShape(of, in[i].shape()); };
  const Shape& a_shape = in[kA].shape();
  const Shape& b_shape = in[kB].shape();
  const Shape& y_shape = out[0].shape();
  const Shape b_zero = TRY(ColumnsShape(b_shape, in[kZeroB].shape()));
  const Shape b_scale = TRY(ColumnsShape(b_shape, in[kScaleB].shape()));
  const Tensor zero_a = in[kZeroA].Reshaped(TRY(rows(kZeroA, a_shape)));
  const Tensor zero_b = in[kZeroB].Reshaped(b_zero);
  Tensor product = Tensor::Zeros({ElementType::kI64, y_shape});
  MultiplyMatrices<int64_t>(TRY(AlignMatrices(a_shape, b_shape)),
                            LessZeroPoint(in[kA], &zero_a),
                            LessZeroPoint(in[kB], &zero_b),
                            product);
  const Tensor scale_a = Spread<double>(in[kScaleA], TRY(rows(kScaleA, a_shape)), y_shape);
  const Tensor scale_b = Spread<double>(in[kScaleB], b_scale, y_shape);
  const Tensor scale_y = Spread<double>(in[kScaleY], TRY(rows(kScaleY, y_shape)), y_shape);
  const Tensor zero_y = Spread<int64_t>(in[kZeroY], TRY(rows(kZeroY, y_shape)), y_shape);
  for (int64_t i = 0; i < product.size(); ++i)
    out[0].mutable_data<int64_t>()[i] =
        Quantize(static_cast<double>(product.data<int64_t>()[i]) * scale_a.data<double>()[i] *
                     scale_b.data<double>()[i] / scale_y.data<double>()[i],
                 zero_y.data<int64_t>()[i],
                 element);
  return {};
}

// A parameter in the shape in which it broadcasts to the product.
ValueId Spread(Composer& compose, size_t input, const Shape& as) {
  const ValueId parameter = compose.Given(input);
  return compose.shape(parameter) == as ? parameter : compose.With("Reshape", parameter, as);
}

// The integer product is a separate node, so its sums can be partial; it is requantised afterwards.
Result<Graph> DecomposeQLinearMatMul(const OpCall& call) {
  const Shape shape = TRY(InferQLinearMatMul(call))[0].shape;
  const Shape &a = call.shape(kA), &b = call.shape(kB);
  Composer compose(call);
  const ValueId product = compose.Add(
      "MatMulInteger",
      {compose.Given(kA), compose.Given(kB), compose.Given(kZeroA), compose.Given(kZeroB)});
  const auto scale = [&](size_t input, const Shape& as) {
    return compose.As(ElementType::kF64, Spread(compose, input, as));
  };
  const Shape rows = TRY(RowsShape(a, call.shape(kScaleA)));
  const Shape columns = TRY(ColumnsShape(b, call.shape(kScaleB)));
  const Shape made = TRY(RowsShape(shape, call.shape(kScaleY)));
  ValueId y = compose.As(ElementType::kF64, product);
  y = compose.Add("Mul", {y, scale(kScaleA, rows)});
  y = compose.Add("Mul", {y, scale(kScaleB, columns)});
  y = compose.Add("Div", {y, scale(kScaleY, made)});
  const ValueId zero = Spread(compose, kZeroY, TRY(RowsShape(shape, call.shape(kZeroY))));
  return compose.Done({ComposeQuantize(compose, y, zero)});
}

Work WorkForQLinearMatMul(const OpCall& call, std::span<const TensorType> outputs) {
  Work work = MatrixProductWork(call.shape(kA), call.shape(kB));
  work.bytes = FlopsWork(call, outputs, 0).bytes;
  return work;
}

std::vector<InputDomain> QLinearMatMulDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  for (size_t i : {kScaleA, kScaleB, kScaleY})
    if (i < domains.size()) domains[i].kind = InputDomain::Kind::kPositive;
  return domains;
}

std::vector<OpExample> QLinearMatMulExamples() {
  return {{.inputs = {U8({4, 6}), F32({}), U8({}), I8({6, 8}), F32({}), I8({}), F32({}), U8({})}},
          {.inputs = {
               I8({2, 4, 6}), F32({}), I8({}), I8({2, 6, 8}), F32({}), I8({}), F32({}), I8({})}}};
}

}  // namespace

OpDef MakeQLinearMatMul() {
  return {.name = "QLinearMatMul",
          .since_version = 21,
          .infer = InferQLinearMatMul,
          .reference = QLinearMatMulReference,
          .decompose = DecomposeQLinearMatMul,
          .work = WorkForQLinearMatMul,
          .domain_of = QLinearMatMulDomain,
          .examples = QLinearMatMulExamples};
}

}  // namespace metadist::ops
