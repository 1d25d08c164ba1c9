// SPDX-License-Identifier: Apache-2.0
#include "executor/bound_kernel.h"

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

namespace {

using Types = std::vector<TensorType>;

// The results of a call without attributes; none: the operator refuses it.
std::vector<TensorType> ResultsOf(const OpDef& op, const Types& inputs) {
  const Attributes none;
  OpCall call;
  call.op = &op;
  call.attributes = &none;
  for (const TensorType& type : inputs) call.inputs.push_back({true, type, nullptr});
  auto types = InferTypes(call);
  return types.ok() ? std::move(types).value() : Types{};
}

TensorType Floats(Shape shape) { return {ElementType::kF32, std::move(shape)}; }

// Images of `channels` channels of `side` x `side` elements, with figures by channel.
Types Images(int64_t channels, int64_t side, size_t figures) {
  Types types = {Floats({1, channels, side, side})};
  types.insert(types.end(), figures, Floats({channels}));
  return types;
}

// Whether the operator works on whole images, one channel at a time: it takes figures by channel,
// or one element of each channel is left of images and all of a matrix, whose channels are single
// elements to it. No two sizes of the call are alike by chance.
bool TakesImages(const OpDef& op, size_t figures) {
  const Types results = ResultsOf(op, Images(3, 5, figures));
  if (results.empty()) return false;
  if (figures > 0) return true;
  const Types of_matrix = ResultsOf(op, {Floats({3, 7})});
  return NumElements(results[0].shape) == 3 && !of_matrix.empty() &&
         NumElements(of_matrix[0].shape) == 21;
}

}  // namespace

std::optional<BoundKernel> ElementwiseKernel(const OpDef& op, int64_t rows, int64_t columns) {
  const TensorType matrix = Floats({rows, columns});
  const TensorType row = Floats({columns});
  const TensorType mask{ElementType::kBool, {rows, columns}};
  for (const cpu::KernelRow& row : cpu::KernelTable())
    if (row.traits.by_number && op.domain.empty() && op.name == row.op)
      return BoundKernel::Make(op, {matrix, Floats({})});
  std::vector<Types> candidates = {
      {matrix}, {matrix, matrix}, {matrix, row, row}, {mask, matrix, matrix}, {mask, mask}};
  const int64_t side = std::max<int64_t>(1, std::llround(std::sqrt(static_cast<double>(columns))));
  for (const size_t figures : {0, 2})
    if (TakesImages(op, figures))
      candidates.insert(candidates.begin(), Images(rows, side, figures));
  for (const Types& inputs : candidates) {
    auto kernel = BoundKernel::Make(op, inputs);
    if (kernel && kernel->work().batch == 0 && kernel->work().bytes > 0) return kernel;
  }
  return std::nullopt;
}

}  // namespace metadist
