// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist {

// A kernel with operands of its own, to be run again and again: what measuring needs.
class BoundKernel {
 public:
  // A call of `op` without attributes on inputs of these types, filled with legal random values,
  // scalars with 2.
  // nullopt where the operator refuses them, or only its reference kernel takes them.
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

// The first operator of the kernel table whose call on two stacks of matrices is a batch of
// products, by the operator's own account of its work (Work::batch).
const OpDef* FirstContraction();

// A fast kernel on arrays of `rows` x `columns` elements that is no product; the operands are found
// by asking the operator what it takes. One that is measured on images (KernelTraits) gets `rows`
// channels, square, of about `columns` elements.
std::optional<BoundKernel> ElementwiseKernel(const OpDef& op, int64_t rows, int64_t columns);

}  // namespace metadist
