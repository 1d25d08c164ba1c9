// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/rules/probe/affine.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/search/candidates.h"
#include "planner/rules/search/execution_test.h"

namespace metadist {

// Finds the factors of a family: for each atom, and each set of atoms that affect one dim, the
// first candidate that survives execution.
class FactorSearch {
 public:
  FactorSearch(BlackBox& box,
               const Family& family,
               CandidateSearch& search,
               ExecutionTest& test,
               AffineInputs& affine)
      : box_(box), family_(family), search_(search), test_(test), affine_(affine) {}

  // Factors without names.
  std::vector<SymbolicFactor> Run();

 private:
  std::vector<std::vector<int>> AtomSets() const;
  void Search(const std::vector<int>& atoms);
  Trial PlainTrial(const std::vector<int>& atoms, const Candidate& candidate) const;
  bool TryVariants(const Trial& plain);
  void TryOffsets(const std::vector<Trial>& plain);
  std::vector<Trial> PartialVariants(const Trial& plain);
  bool Keep(SymbolicFactor factor);
  bool Covered(const std::vector<int>& atoms) const;
  std::vector<Slot> DimsOf(const std::vector<int>& atoms) const;
  bool Divided(const std::vector<int>& atoms) const;
  bool Grows(const std::vector<int>& atoms) const;
  bool HasLiteral(const std::vector<int>& atoms) const;

  SymbolicCut Pack(int tensor,
                   const Candidate::DimBlocks& cut,
                   const std::vector<int>& atoms,
                   bool is_input) const;
  Product Symbolic(int64_t value, const std::vector<int>& among) const;

  BlackBox& box_;
  const Family& family_;
  CandidateSearch& search_;
  ExecutionTest& test_;
  AffineInputs& affine_;
  std::vector<SymbolicFactor> found_;
};

// Whether one of the factors cuts the input dim.
bool IsCut(const std::vector<SymbolicFactor>& factors, const Slot& dim);

// Sorts factors as in the notation: inputs before outputs, dim by dim, outer before inner.
void SortFactors(const Family& family, std::vector<SymbolicFactor>& factors);

}  // namespace metadist
