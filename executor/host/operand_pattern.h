// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/tensor.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// An array whose elements tell where they come from, to see whether a redistribution is right: what
// any rank holds of it under any sharding is known without moving anything.
//
// All elements of all operands of a reduction are different integers, as far as the element type
// can tell so many apart; they and what they reduce to are exact in it, so that results compare bit
// by bit.
class OperandPattern {
 public:
  // operands: the partial axes of the source, all with one reduction. extent: the part of
  // type.shape that holds elements; behind it lies padding, the reduction's identity (else 0).
  OperandPattern(TensorType type, const Mesh& mesh, std::vector<Partial> operands, Shape extent);
  OperandPattern(const TensorType& type, const Mesh& mesh, std::vector<Partial> operands);

  // What a rank holds under `sharding`: operands along those axes that are still partial in it,
  // reduced over the others.
  Tensor Local(const Sharding& sharding, int64_t rank) const;
  // Of all ranks.
  std::vector<Tensor> Locals(const Sharding& sharding) const;

 private:
  int64_t Operand(int64_t index, int64_t operand) const;
  int64_t Reduced(int64_t index, const std::vector<int64_t>& operands) const;
  std::vector<int64_t> OperandsOf(const Sharding& sharding, int64_t rank) const;

  TensorType type_;
  const Mesh& mesh_;
  std::vector<Partial> operands_;
  Shape extent_;
  ReduceOp op_ = ReduceOp::kSum;
  int64_t count_ = 1;  // operands of an element
  int64_t limit_ = 1;  // of the integers
};

}  // namespace metadist
