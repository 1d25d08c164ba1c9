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

// Runs a factor whose cuts have windows divided and whole, and compares the results.
class WindowTest {
 public:
  // plain: gives other sizes of the call.
  WindowTest(BlackBox& box, Sampler& sampler, const Family& family, const ExecutionTest& plain)
      : box_(box), sampler_(sampler), family_(family), plain_(plain) {}

  // The factor, with its least piece, if every configuration agrees with it; otherwise nullopt.
  // small: sizes of the other atoms for most configurations.
  std::optional<SymbolicFactor> Run(const SymbolicFactor& trial, const std::vector<int64_t>& small);

  // The slot of the integer.
  size_t SlotOf(const EndLiteral& end) const;
  // Sets padding literals to 0 on a rank that does not keep them.
  void ClearEnds(const SymbolicFactor& trial,
                 bool keep_first,
                 bool keep_last,
                 std::vector<int64_t>& values) const;
  // Adjusts the literals that depend on the size of the input to `more` elements of it.
  void Follow(const SymbolicFactor& trial, int64_t more, std::vector<int64_t>& values) const;

  // Counts bounds from the start of a piece of `size` elements that begins at `start`.
  void Bound(const SymbolicFactor& trial,
             int64_t start,
             int64_t size,
             std::vector<int64_t>& values) const;

  int64_t executions() const { return executions_; }

 private:
  struct Setting;
  // A call and the factor at its shapes.
  struct Call {
    std::vector<int64_t> values;
    Factor factor;
  };

  std::optional<Call> CallAt(const SymbolicFactor& trial, const std::vector<int64_t>& sizes);
  // The at.skip-th call, by size of the atom, that fits the setting.
  std::optional<Call> CallFor(const SymbolicFactor& trial,
                              std::vector<int64_t> sizes,
                              const Setting& at);
  // The largest padding literal; 0: none.
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

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  const ExecutionTest& plain_;
  int64_t executions_ = 0;
};

}  // namespace metadist
