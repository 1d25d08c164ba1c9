// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/rule.h"

namespace metadist {

// A graph run on pieces: all ranks do a node, then the next. Pieces that a node wants whole are
// gathered.
class Lockstep {
 public:
  // factors: by node, nullptr for work that is repeated or for a pass-through. All arguments, and
  // what is given to Run, must outlive the object.
  Lockstep(const Graph& graph, const OpTable& ops, std::vector<const Factor*> factors)
      : graph_(graph), ops_(ops), factors_(std::move(factors)) {}

  // Runs with these inputs of compute types, by rank and graph input; `cut` says how those are cut
  // that are pieces (nullptr: whole). False: some rank's call is refused.
  bool Run(const std::vector<std::vector<Tensor>>& inputs,
           const std::vector<const Cut*>& cut,
           const std::vector<InnerExchange>& exchanges);

  // After Run: a value on a rank.
  const Tensor& At(int64_t rank, ValueId value) const {
    return values_[static_cast<size_t>(rank)][static_cast<size_t>(value)];
  }

 private:
  bool RunNode(NodeId id, int64_t rank);
  void Exchange(const InnerExchange& exchange);
  // The value of all ranks, one after the other.
  Tensor Gathered(ValueId value) const;

  const Graph& graph_;
  const OpTable& ops_;
  std::vector<const Factor*> factors_;
  std::vector<std::vector<Tensor>> values_;  // by rank and value
  std::vector<const Cut*> cut_;              // by value; nullptr: whole
};

}  // namespace metadist
