// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// A graph run on pieces: all ranks do a node, then the next. Pieces that a node wants whole are
// gathered; what all ranks do alike is done once. Calls are made up and inferred in the first run
// on a number of ranks and used again in the next.
class Lockstep {
 public:
  // factors: by node, nullptr for work that is repeated or for a pass-through. All arguments, and
  // what is given to the last Run, must outlive the object.
  Lockstep(const Graph& graph, const OpTable& ops, std::vector<const Factor*> factors);
  ~Lockstep();

  // From now on every node's results are rounded to the element types of the graph.
  void RoundResults() { rounds_ = true; }

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
  struct OwnCall;

  bool RunNode(NodeId id);
  bool RunOnRank(NodeId id, int64_t rank, std::vector<Tensor>& outputs);
  // Whether all ranks do the node alike.
  bool IsShared(const Node& node, const Factor* factor) const;
  // The call as the rank makes it; nullptr where it is refused.
  OwnCall* CallFor(NodeId id, int64_t rank);
  std::unique_ptr<OwnCall> MakeCall(NodeId id, int64_t rank) const;
  // The shape in which a value that is no constant reaches a node's input.
  Shape Arriving(ValueId value, const Cut* wanted, int64_t rank) const;
  void Exchange(const InnerExchange& exchange);
  // The value of all ranks, one after the other.
  Tensor Gathered(ValueId value) const;
  int64_t ranks() const { return static_cast<int64_t>(values_.size()); }

  const Graph& graph_;
  const OpTable& ops_;
  std::vector<const Factor*> factors_;
  bool rounds_ = false;
  std::vector<std::vector<Tensor>> values_;  // by rank and value
  std::vector<const Cut*> cut_;              // by value; nullptr: whole
  std::vector<uint8_t> shared_;              // by value: whether it is the same on all ranks
  // By number of ranks; then by node and rank.
  std::map<int64_t, std::vector<std::unique_ptr<OwnCall>>> calls_;
};

}  // namespace metadist
