// SPDX-License-Identifier: Apache-2.0
#include "executor/bound_kernel.h"

#include "metair/ops/draw.h"
#include "metair/ops/op_table.h"

namespace metadist {

std::optional<BoundKernel> BoundKernel::Make(const OpDef& op,
                                             const std::vector<TensorType>& inputs) {
  const Attributes none;
  OpCall call;
  call.op = &op;
  call.attributes = &none;
  for (const TensorType& type : inputs) call.inputs.push_back({true, type, nullptr});
  const auto types = InferTypes(call);
  if (!types.ok()) return std::nullopt;
  cpu::Prepared prepared = cpu::Prepare({&call, types.value()});
  if (prepared.kernel == "reference") return std::nullopt;
  auto drawn = DrawInputs(call, /*seed=*/1);
  if (!drawn.ok()) return std::nullopt;
  BoundKernel kernel;
  kernel.run_ = std::move(prepared.run);
  kernel.work_ = WorkOf(call, types.value());
  kernel.inputs_ = std::move(drawn).value();
  for (Tensor& input : kernel.inputs_)
    if (input.type() == TensorType{ElementType::kF32, {}}) input = Tensor::Scalar<float>(2);
  for (const TensorType& type : types.value()) kernel.outputs_.push_back(Tensor::Zeros(type));
  kernel.scratch_ = Tensor::Zeros({ElementType::kU8, {prepared.scratch_bytes}});
  kernel.scratch_bytes_ = kernel.scratch_.mutable_bytes();
  for (const Tensor& input : kernel.inputs_) kernel.from_.push_back(input.bytes());
  for (Tensor& output : kernel.outputs_) kernel.to_.push_back(output.mutable_bytes());
  return kernel;
}

void BoundKernel::Run() const {
  const auto ran = run_({from_, to_, scratch_bytes_});
  CHECK(ran.ok(), "a kernel refuses values of its own domain");
}

const OpDef* ProductOperator() {
  for (const cpu::KernelRow& row : cpu::KernelTable()) {
    const OpDef* op = OpTable::BuiltIn().Find("", row.op);
    if (op == nullptr) continue;
    const auto kernel =
        BoundKernel::Make(*op, {{ElementType::kF32, {2, 4, 6}}, {ElementType::kF32, {2, 6, 8}}});
    if (!kernel) continue;
    const Work& work = kernel->work();
    if (work.batch == 2 && work.m == 4 && work.n == 8 && work.k == 6) return op;
  }
  return nullptr;
}

std::optional<BoundKernel> ElementwiseKernel(const OpDef& op, int64_t rows, int64_t columns) {
  const TensorType matrix{ElementType::kF32, {rows, columns}};
  const TensorType row{ElementType::kF32, {columns}};
  const TensorType mask{ElementType::kBool, {rows, columns}};
  for (const cpu::KernelRow& row : cpu::KernelTable())
    if (row.traits.by_number && op.domain.empty() && op.name == row.op)
      return BoundKernel::Make(op, {matrix, {ElementType::kF32, {}}});
  const std::vector<TensorType> candidates[] = {
      {matrix}, {matrix, matrix}, {matrix, row, row}, {mask, matrix, matrix}, {mask, mask}};
  for (const std::vector<TensorType>& inputs : candidates) {
    auto kernel = BoundKernel::Make(op, inputs);
    if (kernel && kernel->work().batch == 0 && kernel->work().bytes > 0) return kernel;
  }
  return std::nullopt;
}

}  // namespace metadist
