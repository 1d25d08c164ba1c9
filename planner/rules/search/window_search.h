// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"
#include "planner/rules/probe/window_probe.h"
#include "planner/rules/search/execution_test.h"
#include "planner/rules/search/window_test.h"

namespace metadist {

// Finds factors that divide dims along which a window slides: pieces with a halo.
class WindowSearch {
 public:
  WindowSearch(BlackBox& box, Sampler& sampler, const Family& family, const ExecutionTest& plain)
      : box_(box),
        family_(family),
        probe_(box, sampler, family),
        test_(box, sampler, family, plain) {}

  // Adds factors, unnamed, for atoms whose dims no factor of `found` cuts.
  void Run(std::vector<SymbolicFactor>& found);

  int64_t executions() const { return test_.executions(); }

 private:
  using Width = SymbolicWindow::Width;

  bool Worth(int atom, const std::vector<SymbolicFactor>& found) const;
  std::optional<SymbolicFactor> Search(int atom);
  std::optional<SymbolicFactor> Measure(int atom);
  bool AddFollowers(SymbolicFactor& exact) const;
  bool AddSlopes(int other, const SlidingWindow& base, SymbolicFactor& exact);
  bool IsEnd(const SymbolicFactor& exact, size_t slot) const;
  std::vector<EndLiteral> Begins(const SymbolicFactor& exact);
  std::optional<SymbolicFactor> Part(const SymbolicFactor& exact);
  std::vector<EndLiteral> Paddings(const SymbolicFactor& exact);
  std::vector<SymbolicFactor> Trials(const SymbolicFactor& exact);
  bool Widen(const std::vector<Width>& surplus, SymbolicFactor& trial);
  void AddRounded(const SymbolicFactor& exact, std::vector<SymbolicFactor>& trials);
  std::optional<std::vector<Width>> Surplus(const SymbolicFactor& trial);
  std::optional<std::vector<int64_t>> SurplusAt(const SymbolicFactor& trial,
                                                const std::vector<int64_t>& sizes);
  std::optional<std::vector<int64_t>> SurplusAt(const SymbolicFactor& trial,
                                                const std::vector<int64_t>& sizes,
                                                int64_t more);

  BlackBox& box_;
  const Family& family_;
  WindowProbe probe_;
  WindowTest test_;
  std::vector<int64_t> sizes_;  // small sizes of the other atoms
};

}  // namespace metadist
