// SPDX-License-Identifier: Apache-2.0
// y = (a - zero point) (b - zero point) in 32-bit integers over the last two dims. a has one zero
// point, or one for each row; b has one, or one for each column.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/matrix_product.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"
#include "metair/ops/quantized_product.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kA, kB, kZeroA, kZeroB };

Result<std::vector<TensorType>> InferMatMulInteger(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 4)
          .Integers(kA)
          .Integers(kB)
          .SameElement(kA, kZeroA)
          .SameElement(kB, kZeroB)
          .Done());
  const Shape shape = TRY(MatrixProductShape(call.shape(kA), call.shape(kB)));
  if (call.has(kZeroA)) TRY(RowsShape(call.shape(kA), call.shape(kZeroA)));
  if (call.has(kZeroB)) TRY(ColumnsShape(call.shape(kB), call.shape(kZeroB)));
  return std::vector<TensorType>{{ElementType::kI32, shape}};
}

Result<void> MatMulIntegerReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  Tensor a = in[kA];
  Tensor b = in[kB];
  if (call.has(kZeroA)) {
    const Tensor zero = in[kZeroA].Reshaped(TRY(RowsShape(a.shape(), in[kZeroA].shape())));
    a = LessZeroPoint(a, &zero);
  }
  if (call.has(kZeroB)) {
    const Tensor zero = in[kZeroB].Reshaped(TRY(ColumnsShape(b.shape(), in[kZeroB].shape())));
    b = LessZeroPoint(b, &zero);
  }
  MultiplyMatrices<int64_t>(TRY(AlignMatrices(a.shape(), b.shape())), a, b, out[0]);
  return {};
}

Work WorkForMatMulInteger(const OpCall& call, std::span<const TensorType> outputs) {
  Work work = MatrixProductWork(call.shape(kA), call.shape(kB));
  work.bytes = FlopsWork(call, outputs, 0).bytes;
  return work;
}

std::vector<OpExample> MatMulIntegerExamples() {
  return {{.inputs = {U8({4, 6}), I8({6, 8}), U8({}), I8({})}},
          {.inputs = {I8({2, 4, 6}), I8({6, 8})}},
          {.inputs = {U8({4, 6}), U8({6, 8}), U8({4, 1}), U8({8})}}};
}

}  // namespace

OpDef MakeMatMulInteger() {
  return {.name = "MatMulInteger",
          .since_version = 10,
          .infer = InferMatMulInteger,
          .reference = MatMulIntegerReference,
          .work = WorkForMatMulInteger,
          .examples = MatMulIntegerExamples};
}

}  // namespace metadist::ops
