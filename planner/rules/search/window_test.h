// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"
#include "planner/rules/search/execution_test.h"

namespace metadist {

// Runs a factor whose cuts have windows divided and whole, and compares.
class WindowTest {
 public:
  // `plain` knows other sizes of a call.
  WindowTest(BlackBox& box, Sampler& sampler, const Family& family, const ExecutionTest& plain)
      : box_(box), sampler_(sampler), family_(family), plain_(plain) {}

  // The factor with what divisions it allows, if every configuration agrees with it; none
  // otherwise. small: sizes of the other atoms for most of them.
  std::optional<SymbolicFactor> Run(const SymbolicFactor& trial, const std::vector<int64_t>& small);

  // Sets the end literals of a rank that does not keep them.
  void ClearEnds(const SymbolicFactor& trial,
                 bool keep_first,
                 bool keep_last,
                 std::vector<int64_t>& values) const;
  // Moves the literals that go with the size of the input, for `more` elements of it.
  void Follow(const SymbolicFactor& trial, int64_t more, std::vector<int64_t>& values) const;

  // Counts bounds within a piece of `size` elements from `start` on.
  void Bound(const SymbolicFactor& trial,
             int64_t start,
             int64_t size,
             std::vector<int64_t>& values) const;

  int64_t executions() const { return executions_; }

 private:
  struct Setting;
  // A call that `ranks` ranks can share, at real shapes.
  struct Call {
    std::vector<int64_t> values;
    Factor factor;
  };

  std::optional<Call> CallAt(const SymbolicFactor& trial, const std::vector<int64_t>& sizes);
  // The at.skip-th call, by size of the atom, that fits.
  std::optional<Call> CallFor(const SymbolicFactor& trial,
                              std::vector<int64_t> sizes,
                              const Setting& at);
  // Of the integers that are padding; 0: none.
  int64_t LargestEnd(const SymbolicFactor& trial, const std::vector<int64_t>& sizes) const;
  std::vector<std::vector<int64_t>> OthersThan(const SymbolicFactor& trial,
                                               const std::vector<int64_t>& small);
  bool Draw(const Call& call, InputMode mode, std::vector<Tensor>& inputs);
  bool HoldsAtEdges(const SymbolicFactor& trial, const std::vector<int64_t>& small, int64_t more);
  bool Agrees(const Call& call, const SymbolicFactor& trial, const Setting& at);
  bool RunRank(const Call& call,
               const SymbolicFactor& trial,
               int64_t ranks,
               int64_t rank,
               std::span<const Tensor> inputs,
               std::vector<Tensor>& outputs);
  bool Merge(const Call& call,
             int64_t ranks,
             int64_t rank,
             const std::vector<Tensor>& local,
             const std::vector<Tensor>& whole,
             std::vector<Tensor>& merged) const;

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  const ExecutionTest& plain_;
  int64_t executions_ = 0;
};

}  // namespace metadist
