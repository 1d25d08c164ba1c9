// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist {

// A kernel bound to operands of its own, for repeated measurement.
class BoundKernel {
 public:
  // A call of `op` without attributes on inputs of these types, filled with legal random values
  // (scalars with 2). nullopt if the operator rejects them, or only its reference kernel accepts
  // them.
  static std::optional<BoundKernel> Make(const OpDef& op, const std::vector<TensorType>& inputs);

  void Run() const;
  const Work& work() const { return work_; }

 private:
  cpu::Runner run_;
  Work work_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  Tensor scratch_;
  std::vector<const std::byte*> from_;
  std::vector<std::byte*> to_;
  std::byte* scratch_bytes_ = nullptr;
};

// The first operator of the kernel table that is a batched matrix product: on two stacks of
// matrices its reported work (Work::batch, m, n, k) is that of one.
const OpDef* FirstContraction();

// A fast kernel, other than a matrix product, on arrays of `rows` x `columns` elements; which
// operands the operator takes is found by trial. An operator that is measured on images
// (KernelTraits) gets `rows` channels of square images of about `columns` elements.
std::optional<BoundKernel> ElementwiseKernel(const OpDef& op, int64_t rows, int64_t columns);

}  // namespace metadist
