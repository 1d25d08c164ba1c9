// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "planner/rules/compose/inner_calls.h"
#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// A call and its decomposition, in f64 if the decomposition has the same form then. Its constants
// are then not rounded to f32: pieces are compared with a kernel that computes in f64.
struct ExactForm {
  OpCall call;
  Graph graph;
};
// The operator must have a decomposition. nullopt if it does not cover the call. all_numbers: if
// the form differs in f64, still takes the constants of the f64 graph, whatever the types of the
// graph are; the graph can then only be run. The result points to what the call points to.
std::optional<ExactForm> ExactFormOf(const OpCall& call, bool all_numbers);

// Runs decompositions and recipes divided by a composite factor and compares with the operator's
// own kernel.
class CompositeCheck {
 public:
  CompositeCheck(const TestedCall& call, const SymbolicRule& found)
      : tested_(call), box_(call.box), sampler_(call.box, call.seed), found_(found) {}

  // Whether the factor holds: on 2, 3 and 4 ranks, even and uneven pieces, other sizes, inputs of
  // all kinds; for a recipe, also if sizes that no factor cuts are longer (how many elements are
  // selected); for a scan, also if totals leave the range of the call's own types. Sets
  // least_piece.
  bool Holds(SymbolicFactor& factor);
  // Whether pieces differ from the whole at these atom sizes; false if that cannot be tested.
  bool Refutes(const SymbolicFactor& factor, std::span<const int64_t> sizes);

  // Whether the factor last passed to Holds only fails because totals leave the range of the call's
  // own types.
  bool leaves_range() const { return leaves_range_; }

  int64_t executions() const { return executions_; }

 private:
  // The verdict on a factor at some sizes; kRefused: the call of some rank is rejected.
  enum class Verdict : uint8_t { kHolds, kDiffers, kRefused };

  // The decomposition at some sizes, and the factors on which its nodes work.
  struct Eager {
    ExactForm form;
    std::vector<Rule> rules;
    std::vector<const Factor*> factors;  // by node
  };
  std::optional<Eager> EagerOf(const InnerUse& use, std::span<const int64_t> values);
  // A factor's graph for some number of ranks.
  struct Way {
    PieceGraph pieces;
    std::vector<const Factor*> factors;  // by node
  };
  std::optional<Way> WayOf(const InnerUse& use,
                           const Factor& factor,
                           std::span<const int64_t> values,
                           const std::optional<Eager>& eager,
                           int64_t ranks);
  Verdict Judge(const SymbolicFactor& factor,
                std::span<const int64_t> sizes,
                std::span<const std::pair<int64_t, InputMode>> runs);
  Verdict HoldsAt(const SymbolicFactor& factor, int64_t times);
  bool DiffersIfLonger(const SymbolicFactor& factor);
  // The factor's own atoms at size `tested`, the others longer by `more` where the call is then
  // legal; those in `kept` as they are.
  std::vector<int64_t> SizesFor(const SymbolicFactor& factor,
                                int64_t tested,
                                int64_t more,
                                const std::set<int>& kept = {});

  const TestedCall tested_;
  BlackBox& box_;
  std::optional<InnerCalls> calls_;  // created when a decomposition is first run
  Sampler sampler_;
  const SymbolicRule& found_;
  bool leaves_range_ = false;
  int64_t executions_ = 0;
};

}  // namespace metadist
