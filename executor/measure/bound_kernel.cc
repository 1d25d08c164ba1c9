// SPDX-License-Identifier: Apache-2.0
#include "executor/measure/bound_kernel.h"

#include <algorithm>
#include <cmath>

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

const OpDef* FirstContraction() {
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

namespace {

using Types = std::vector<TensorType>;

TensorType Floats(Shape shape) { return {ElementType::kF32, std::move(shape)}; }

// Types of an image of `channels` channels of `side` x `side` elements and of `figures` arrays with
// one element per channel.
Types Images(int64_t channels, int64_t side, size_t figures) {
  Types types = {Floats({1, channels, side, side})};
  types.insert(types.end(), figures, Floats({channels}));
  return types;
}

}  // namespace

std::optional<BoundKernel> ElementwiseKernel(const OpDef& op, int64_t rows, int64_t columns) {
  const TensorType matrix = Floats({rows, columns});
  const TensorType row = Floats({columns});
  const TensorType mask{ElementType::kBool, {rows, columns}};
  const cpu::KernelRow* kernels = cpu::RowOf(op);
  if (kernels == nullptr) return std::nullopt;
  if (kernels->traits.by_number) return BoundKernel::Make(op, {matrix, Floats({})});
  std::vector<Types> candidates = {
      {matrix}, {matrix, matrix}, {matrix, row, row}, {mask, matrix, matrix}, {mask, mask}};
  const int64_t side = std::max<int64_t>(1, std::llround(std::sqrt(static_cast<double>(columns))));
  if (kernels->traits.on_images) candidates = {Images(rows, side, 0), Images(rows, side, 2)};
  for (const Types& inputs : candidates) {
    auto kernel = BoundKernel::Make(op, inputs);
    if (kernel && kernel->work().batch == 0 && kernel->work().bytes > 0) return kernel;
  }
  return std::nullopt;
}

}  // namespace metadist
