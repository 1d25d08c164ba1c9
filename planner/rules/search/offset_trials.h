// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/rules/search/execution_test.h"

namespace metadist {

// Variants of a plain trial in which literals or indices depend on where the piece begins,
// likeliest first. If literals could depend on it, runs the kernel twice to find out whether that
// can help.
class OffsetTrials {
 public:
  OffsetTrials(BlackBox& box, const Family& family, ExecutionTest& test)
      : box_(box), family_(family), test_(test) {}

  // plain: one atom, literals at the shard's size if they depend on it.
  std::vector<Trial> Of(const Trial& plain) const;

 private:
  // The literal that is element `entry` of constant input `input`; -1: none.
  int LiteralOf(int input, int entry) const;
  // Whether the outputs keep their shapes when literals are shifted by these amounts.
  bool KeepsShapes(const std::vector<SymbolicShift>& shifts) const;
  void AddIndices(const Trial& plain, std::vector<Trial>& trials) const;
  void AddLiterals(const Trial& plain, std::vector<Trial>& trials) const;
  void AddPairs(const Trial& plain, std::vector<Trial>& trials) const;
  // Literals that are not sizes and, if `coupled`, those that depend on the cut atom alone; values
  // that stand for infinity are excluded. Numbered as in SymbolicShift.
  std::vector<int> Movable(const Trial& plain, bool coupled) const;
  // Possible multipliers of a shift: -1 for 1, or a literal whose value it is.
  std::vector<int> Multipliers(int literal) const;
  int64_t ValueOf(int literal) const;

  BlackBox& box_;
  const Family& family_;
  ExecutionTest& test_;
};

}  // namespace metadist
