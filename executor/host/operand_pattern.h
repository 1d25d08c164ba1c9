// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/tensor.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// An array whose elements identify their origin, for checking redistributions: the data of any rank
// under any sharding is known without moving anything.
//
// All elements of all operands of a reduction are distinct integers, as far as the element type can
// distinguish them. They and their reductions are exact in the type, so results are compared bit by
// bit.
class OperandPattern {
 public:
  // operands: the partial axes of the source, all with the same reduction. extent: the part of
  // type.shape that holds elements, by default all; the rest is padding, filled with the
  // reduction's identity (0 without operands).
  OperandPattern(TensorType type,
                 const Mesh& mesh,
                 std::vector<Partial> operands,
                 Shape extent = {});

  // The data of a rank under `sharding`: the operand of its own along axes that are still partial,
  // reduced over the others.
  Tensor Local(const Sharding& sharding, int64_t rank) const;
  // By rank.
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
  int64_t count_ = 1;  // operands per element
  int64_t limit_ = 1;  // all values are below it
};

}  // namespace metadist
