// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// Runs a graph on pieces: all ranks run a node, then the next. Pieces are gathered for a node that
// needs the whole value; work that is equal on all ranks is done once. Calls are built and inferred
// in the first run on a number of ranks and reused in later ones.
class Lockstep {
 public:
  // factors: by node, nullptr for work that is repeated or for a pass-through. All arguments, and
  // the inputs of the last Run, must outlive the object.
  Lockstep(const Graph& graph, const OpTable& ops, std::vector<const Factor*> factors);
  ~Lockstep();

  // From now on, rounds every node's results to the element types of the graph.
  void RoundResults() { rounds_ = true; }

  // Runs with these inputs of compute types, by rank and graph input; `cut`: the cuts of inputs
  // that are pieces (nullptr: whole). False: the call of some rank is rejected.
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
  // Whether the node is the same work on all ranks.
  bool IsShared(const Node& node, const Factor* factor) const;
  // The rank's call; nullptr if it is rejected.
  OwnCall* CallFor(NodeId id, int64_t rank);
  std::unique_ptr<OwnCall> MakeCall(NodeId id, int64_t rank) const;
  // The shape in which a value that is not a constant reaches a node's input.
  Shape Arriving(ValueId value, const Cut* wanted, int64_t rank) const;
  void Exchange(const InnerExchange& exchange);
  // The whole value, gathered from all ranks.
  Tensor Gathered(ValueId value) const;
  int64_t ranks() const { return static_cast<int64_t>(values_.size()); }

  const Graph& graph_;
  const OpTable& ops_;
  std::vector<const Factor*> factors_;
  bool rounds_ = false;
  std::vector<std::vector<Tensor>> values_;  // by rank and value
  std::vector<const Cut*> cut_;              // by value; nullptr: whole
  std::vector<uint8_t> shared_;              // by value: whether it is equal on all ranks
  // By number of ranks; then by node and rank.
  std::map<int64_t, std::vector<std::unique_ptr<OwnCall>>> calls_;
};

}  // namespace metadist
