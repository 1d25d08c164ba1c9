// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metair/spmd/local_entry.h"
#include "metair/spmd/sharding.h"

// What discovery found about one call, at that call's own sizes: how it can be divided over one
// mesh axis. Several axes compose: each takes one factor (two may take the same), one pass-through,
// or none.
namespace metadist {

// How a factor cuts a dim of `size()` elements: `repeat` blocks in a row, each the concatenation of
// `parts`; a part is `size` groups of `unit` elements, and the ranks divide the groups.
//   ([i,k]): repeat 1, parts {(k, 1)}      (a b) cut by a: {(a, b)}; cut by b: repeat a, {(b, 1)}
//   a+b: repeat 1, parts {(a, 1), (b, 1)}
// With a halo, a rank also takes elements next to its piece (of an input), or makes more than it
// keeps (of an output).
struct Cut {
  struct Part {
    int64_t size = 1;
    int64_t unit = 1;
    auto operator<=>(const Part&) const = default;
  };

  int tensor = 0;  // index among the inputs or the outputs
  int dim = 0;
  int64_t repeat = 1;
  std::vector<Part> parts;
  bool spare = false;  // pieces are made with a spare element (DimSharding::spare)
  Halo halo = {};      // only for one block of one part

  int64_t size() const;  // of the dim
  auto operator<=>(const Cut&) const = default;
};

// An integer inside the call that depends on the piece: entry `entry` of constant input `input`, or
// of integer attribute `attribute` if input is -1. `view` is a cut as of a dim (tensor and dim
// unused): of the integer itself if it is a size, otherwise of the dim it depends on.
struct LiteralCut {
  int input = -1;
  std::string attribute;
  int entry = 0;
  Cut view = {};
  LocalEntry::Kind kind = LocalEntry::Kind::kSize;
  int64_t by_start = 0;  // as in LocalEntry
  int64_t by_end = 0;
};

// An input of indices that are counted from the start of the piece of a dim. An index outside the
// piece becomes that of the element behind the piece.
struct CountedIndex {
  int input = 0;
  int column = -1;        // only the indices at this position of the last dim; -1: all
  bool from_end = false;  // indices below 0 count from the end of the dim
  Cut view;               // of the dim (tensor and dim unused)
};

// A small value inside a decomposition, made by node `node`, that the ranks reduce.
struct InnerExchange {
  int node = 0;
  ReduceOp op = ReduceOp::kSum;
  std::string dims = {};  // letters of the factors that cut the value's dims: "a,b"
  auto operator<=>(const InnerExchange&) const = default;
};

// How a factor divides the operator's decomposition (OpDef::decompose). With a recipe: the graph
// built by that recipe, either from the operator alone (recipe.h; nodes and exchanges are then
// empty), or from the decomposition, divided as nodes and exchanges say, as a late merge
// (late_merge.h).
struct InnerUse {
  std::vector<std::string> nodes;  // by node: a factor's name, "~sum", or "" (work repeated)
  std::vector<InnerExchange> exchanges = {};  // in node order
  std::string recipe = {};
  bool operator==(const InnerUse&) const = default;
};

// One way to divide the call's work.
struct Factor {
  std::string name = {};          // letter of the one-line notation
  std::vector<Cut> inputs = {};   // inputs not named arrive whole
  std::vector<Cut> outputs = {};  // outputs neither named nor reduced are equal on all ranks
  std::map<int, ReduceOp> reductions = {};  // outputs that come out partial
  std::vector<int> partial_inputs = {};     // inputs that must arrive as partial sums
  std::vector<LiteralCut> literals = {};
  std::vector<CountedIndex> indices = {};
  bool even_only = false;  // the groups must divide evenly among the ranks
  // A rank may hold any subset of the groups, in their order, the same one for all tensors; if
  // false, it must hold consecutive groups.
  bool any_order = false;
  int64_t least_piece = 1;  // least number of groups a rank may get
  InnerUse inner = {};      // no nodes and no recipe: it does not divide the decomposition
  bool composite = false;   // only the graph of `inner` can be divided this way, the operator
                            // cannot
  // For a composite factor: other ways with the same result, in fewer exchanges of more elements. A
  // plan takes the fastest.
  std::vector<InnerUse> others = {};

  // Number of groups: the least `size` of all parts. At most this many ranks can share the factor.
  int64_t groups() const;
};

// Inputs that may be partial (with `op`) together; all outputs are then partial in the same way.
struct PassThrough {
  ReduceOp op = ReduceOp::kSum;
  std::vector<int> inputs;
};

// A dim of at least two elements that no factor cuts, and the reason.
struct UncutDim {
  bool is_input = true;
  int tensor = 0;
  int dim = 0;
  std::string reason = {};
  bool known = false;  // calls of the same form can be cut there
  auto operator<=>(const UncutDim&) const = default;
};

struct Rule {
  std::vector<Factor> factors;
  std::vector<PassThrough> pass_through;
  std::string text;    // one-line notation: ([i,k],[k,j])->([i,j]) reduction={k} linear={0,1}
  std::string reason;  // why there are no factors; empty if there are some
  std::vector<UncutDim> uncut = {};  // by tensor and dim, inputs first

  // The factor with that name; nullptr if there is none.
  const Factor* Find(std::string_view name) const;
};
// A rule without factors, for this reason.
Rule NoRule(std::string reason);

}  // namespace metadist
