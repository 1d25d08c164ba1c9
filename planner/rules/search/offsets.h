// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/spmd/sharding.h"
#include "planner/rules/factor/symbolic.h"
#include "planner/rules/probe/black_box.h"

// Changes to a rank's trial call other than cutting its inputs: literals and indices that depend on
// where the piece begins, and the spare element behind the piece that stands for everything
// outside.
namespace metadist {

// A piece: atom sizes of the whole call, and the rank.
struct PieceOf {
  std::span<const int64_t> sizes;
  int64_t ranks = 1;
  int64_t rank = 0;

  // The range of the piece in a dim that is cut contiguously.
  Interval Of(const SymbolicCut& cut) const;
};

// Whether the cut is of contiguous pieces.
bool IsContiguous(const SymbolicCut& cut);

// Shifts literals in the slot `values`; `whole` are the slot values of the whole call.
void ShiftLiterals(const std::vector<SymbolicShift>& shifts,
                   const BlackBox& box,
                   const PieceOf& piece,
                   std::span<const int64_t> whole,
                   std::vector<int64_t>& values);
// Counts the inputs of indices from the start of the piece.
void CountIndices(const std::vector<SymbolicIndex>& indices,
                  const PieceOf& piece,
                  std::vector<Tensor>& inputs);

// Adds a zero element behind the pieces of inputs whose cut has a spare.
void AddSpares(const std::vector<SymbolicCut>& cuts, std::vector<Tensor>& inputs);
// Drops the spare element of outputs. False: an output has no such dim.
bool DropSpares(const std::vector<SymbolicCut>& cuts, std::vector<Tensor>& outputs);

}  // namespace metadist
