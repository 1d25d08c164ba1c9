// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/cpu/kernel.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/op_table.h"

namespace metadist::testing {

// A call of an operator and, if requested, its kernel with operands, to be run repeatedly.
class BenchCall {
 public:
  BenchCall(const std::string& op, OpExample example)
      : op_(OpTable::BuiltIn().Find("", op)),
        example_(std::move(example)),
        constants_(ConstantsOf(example_)),
        call_(CallOf(*op_, example_, constants_)) {}
  BenchCall(const BenchCall&) = delete;
  BenchCall& operator=(const BenchCall&) = delete;

  const OpCall& call() const { return call_; }
  const Work& work() const { return work_; }
  const std::string& kernel() const { return prepared_.kernel; }

  // Draws operands and prepares the fastest kernel.
  void Bind() {
    types_ = InferTypes(call_).value();
    work_ = WorkOf(call_, types_);
    prepared_ = cpu::Prepare({&call_, types_});
    inputs_ = DrawInputs(call_, /*seed=*/1).value();
    for (const TensorType& type : types_) outputs_.push_back(Tensor::Zeros(type));
    scratch_ = Tensor::Zeros({ElementType::kU8, {prepared_.scratch_bytes}});
    for (const Tensor& input : inputs_) from_.push_back(input.bytes());
    for (Tensor& output : outputs_) to_.push_back(output.mutable_bytes());
    scratch_bytes_ = scratch_.mutable_bytes();
  }

  void Run() const {
    const auto ran = prepared_.run({from_, to_, scratch_bytes_});
    CHECK(ran.ok(), "a kernel refuses values of its own domain");
  }

 private:
  const OpDef* op_;
  const OpExample example_;
  const std::vector<Tensor> constants_;
  const OpCall call_;
  std::vector<TensorType> types_;
  Work work_;
  cpu::Prepared prepared_;
  std::vector<Tensor> inputs_, outputs_;
  Tensor scratch_;
  std::vector<const std::byte*> from_;
  std::vector<std::byte*> to_;
  std::byte* scratch_bytes_ = nullptr;
};

inline OpExample::Input Floats(Shape shape) {
  return {.type = {ElementType::kF32, std::move(shape)}};
}

}  // namespace metadist::testing
