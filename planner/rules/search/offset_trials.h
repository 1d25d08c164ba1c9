// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/rules/search/execution_test.h"

namespace metadist {

// The variants of a plain trial in which something moves with the start of the piece, likeliest
// first. Runs the kernel twice where literals could move, to see whether that can help.
class OffsetTrials {
 public:
  OffsetTrials(BlackBox& box, const Family& family, ExecutionTest& test)
      : box_(box), family_(family), test_(test) {}

  // plain: one atom, literals at the shard's size where they follow it.
  std::vector<Trial> Of(const Trial& plain) const;

 private:
  // The literal that is element `entry` of constant input `input`; -1: none.
  int LiteralOf(int input, int entry) const;
  // Whether the outputs keep their shapes when literals move by these amounts.
  bool KeepsShapes(const std::vector<SymbolicShift>& shifts) const;
  void AddIndices(const Trial& plain, std::vector<Trial>& trials) const;
  void AddLiterals(const Trial& plain, std::vector<Trial>& trials) const;
  void AddPairs(const Trial& plain, const SymbolicCut& view, std::vector<Trial>& trials) const;
  // Literals that no size follows, and on demand those that follow the cut atom alone; infinities
  // do not move. Numbered as in SymbolicShift.
  std::vector<int> Movable(const Trial& plain, bool coupled) const;
  // What a shift may be multiplied by: 1, or the value of another literal.
  std::vector<int> Multipliers(int literal) const;
  int64_t ValueOf(int literal) const;

  BlackBox& box_;
  const Family& family_;
  ExecutionTest& test_;
};

}  // namespace metadist
