// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metair/ops/composer.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// A graph that a number of ranks run in place of one call, with the call's inputs and outputs.
// Every node either works on the ranks' own pieces or is repeated by all ranks. The type of a value
// is that of its pieces concatenated. If a node works on pieces, its call on these types need not
// be meaningful: calls on pieces, side by side, are not one call.
struct PieceGraph {
  Graph graph;
  // By node: kPieceFactor; or only a name: "~sum", or "" if all ranks do the same work.
  std::vector<Factor> steps;
  std::vector<InnerExchange> exchanges = {};  // in node order
};

// A call and the cuts of its inputs and outputs, for which such a graph is built.
struct RecipeCall {
  const OpCall& call;
  const std::vector<Cut>& inputs;
  const std::vector<Cut>& outputs;
};

// Elements [begin, end) of the dim; inputs 1 and 2 of the node are begin and end.
ValueId SliceOf(Composer& compose, ValueId value, int64_t dim, int64_t begin, int64_t end);
// 0, 1, ..., count - 1 as i64, along a dim that is followed by `behind` dims of size 1.
ValueId PositionsAlong(Composer& compose, int64_t count, int64_t behind);

// Name of the factor with which nodes of such a graph work on pieces.
inline constexpr char kPieceFactor[] = "piece";

// Builds such a graph. Dims are cut into balanced pieces.
class PieceComposer {
 public:
  PieceComposer(const OpCall& call, int64_t ranks) : call_(call), ranks_(ranks), compose_(call) {}

  Composer& compose() { return compose_; }
  const OpCall& call() const { return call_; }
  int64_t ranks() const { return ranks_; }
  const Shape& shape(ValueId value) const { return compose_.shape(value); }

  // The call's inputs, constants as constants.
  std::vector<ValueId> Inputs();
  // Marks the value as cut along the dim. Returns the value.
  ValueId Cut(ValueId value, int64_t dim);
  // Adds a node on pieces, whose output is cut along the dim.
  ValueId Add(const std::string& op,
              const std::vector<ValueId>& inputs,
              int64_t dim,
              const Attributes& attributes = {});
  // The last node works on pieces of its inputs and outputs that are cut. sizes: integers of its
  // call that are divided like sizes. summed: its output is partial.
  void OnPieces(std::vector<LiteralCut> sizes = {}, bool summed = false);
  // Sets how the last node works, if that is already known.
  void Step(Factor step);
  // The result of the last node is reduced among the ranks.
  void Exchanged(ReduceOp op);

  // A mask of the indices of dim `dim` (of `dims` dims, of this size) in a range, cut along it.
  ValueId Mask(size_t dims, size_t dim, int64_t size, const Interval& where);
  // Concatenates pieces along a dim, or takes elements [begin, end) of each piece, where a nonzero
  // bound is given in terms of the whole dim.
  ValueId Joined(const std::vector<ValueId>& values, int64_t dim);
  ValueId Span(ValueId value, int64_t dim, int64_t begin, int64_t end);
  // The call on pieces of its inputs. Returns its outputs; mark them as cut before OnPieces.
  std::vector<ValueId> Again(const std::vector<ValueId>& inputs);

  // Errors: kBadInput if a node does not accept its inputs.
  Result<PieceGraph> Done(const std::vector<ValueId>& results);

 private:
  const OpCall& call_;
  const int64_t ranks_;
  Composer compose_;
  std::map<ValueId, int64_t> cut_;  // cut dim, by value
  std::map<size_t, Factor> steps_;  // by node
  std::vector<InnerExchange> exchanges_;
};

}  // namespace metadist
