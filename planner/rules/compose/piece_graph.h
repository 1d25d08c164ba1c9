// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "metair/ops/composer.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// What a number of ranks do in place of one call: a graph with the call's inputs and outputs, of
// which every node either works on the ranks' own pieces or is repeated by all. A value is typed as
// its pieces together. Where a node works on pieces, the whole of its types need not mean anything:
// calls on pieces, side by side, are not one call.
struct PieceGraph {
  Graph graph;
  // By node: kPieceFactor; or only a name: "~sum", or "" where all ranks do the same.
  std::vector<Factor> steps;
  std::vector<InnerExchange> exchanges = {};  // in node order
};

// The indices [begin, end) of the dim; input 1 of what is made is begin, input 2 is end.
ValueId SliceOf(Composer& compose, ValueId value, int64_t dim, int64_t begin, int64_t end);
// 0, 1, ..., count - 1 as i64, along a dim that `behind` dims of size 1 follow.
ValueId PositionsAlong(Composer& compose, int64_t count, int64_t behind);

// Name of the factor by which nodes of such a graph work on pieces.
inline constexpr char kPieceFactor[] = "piece";

// Writes such a graph. Dims are cut into balanced pieces.
class PieceComposer {
 public:
  PieceComposer(const OpCall& call, int64_t ranks) : call_(call), ranks_(ranks), compose_(call) {}

  Composer& compose() { return compose_; }
  const OpCall& call() const { return call_; }
  int64_t ranks() const { return ranks_; }
  const Shape& shape(ValueId value) const { return compose_.shape(value); }

  // The call's inputs, small constants as constants.
  std::vector<ValueId> Inputs();
  // Pieces of the value are meant from here on. Returns it.
  ValueId Cut(ValueId value, int64_t dim);
  // The node written last works on pieces of those inputs and outputs that are cut; `sizes` are
  // integers of its call that are divided like a size: name an entry only. summed: what it makes is
  // a summand.
  void OnPieces(std::vector<LiteralCut> sizes = {}, bool summed = false);
  // How the node written last works, where that is known already.
  void Step(Factor step);
  // What the node written last makes is reduced among the ranks.
  void Exchanged(ReduceOp op);

  // Pieces of values along a dim: one after the other; their indices [begin, end), where a bound
  // that is not 0 is a size of the whole.
  ValueId Joined(const std::vector<ValueId>& values, int64_t dim);
  ValueId Span(ValueId value, int64_t dim, int64_t begin, int64_t end);
  // The call on pieces of its inputs: its outputs, to be cut before OnPieces.
  std::vector<ValueId> Again(const std::vector<ValueId>& inputs);

  // Errors: kBadInput where a node does not take what it is given.
  Result<PieceGraph> Done(const std::vector<ValueId>& results);

 private:
  const OpCall& call_;
  const int64_t ranks_;
  Composer compose_;
  std::map<ValueId, int64_t> cut_;  // the dim
  std::map<size_t, Factor> steps_;  // by node
  std::vector<InnerExchange> exchanges_;
};

}  // namespace metadist
