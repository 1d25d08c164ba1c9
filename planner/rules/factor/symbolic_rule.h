// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic.h"

// What discovery finds: a rule on symbols. At the sizes of a call it is a Rule.
namespace metadist {

// Every factor is tested on as many ranks.
inline constexpr std::array<int64_t, 3> kRanksTested{2, 3, 4};

// A factor on symbols: valid for every call of the signature, whatever its sizes.
struct SymbolicFactor {
  std::string name;
  std::vector<int> atoms;  // cut together; several for a+b
  std::vector<SymbolicCut> inputs;
  std::vector<SymbolicCut> outputs;
  std::map<int, ReduceOp> reductions;
  std::vector<int> partial_inputs;
  bool local_literals = false;  // literals that hold an atom of the factor shrink with the piece
  std::vector<SymbolicShift> shifts;   // and literals that move with it
  std::vector<SymbolicIndex> indices;  // inputs that count from its start
  std::vector<EndLiteral> ends;
  std::map<int, int64_t> fixed;  // atoms with the size for which alone the factor holds
  bool even_only = false;
  int64_t least_piece = 1;
  bool any_order = false;  // as of Factor
  InnerUse inner = {};
  bool composite = false;
  std::vector<InnerUse> others = {};
  bool operator==(const SymbolicFactor&) const = default;
};

// An input as discovery saw it.
struct SymbolicInput {
  bool is_tensor = false;  // false: left out, a literal, or fixed
  std::vector<SymbolicSize> sizes = {};
  bool operator==(const SymbolicInput&) const = default;
};

// What running an operator on small inputs showed, on symbols.
struct SymbolicRule {
  std::vector<int64_t> atoms;       // their sizes in the sample that was run
  std::vector<SymbolicInput> dims;  // by input
  std::vector<SymbolicLiteral>
      literals;  // all integers of the call; those that follow no size have no atoms
  std::vector<SymbolicFactor> factors;
  std::vector<PassThrough> pass_through;
  // What holds of ordinary numbers, but not of infinities, NaN or integers that wrap.
  std::vector<SymbolicFactor> refuted = {};
  std::string text;     // one-line notation; "none" where nothing could be run
  std::string reason;   // why there are no factors; empty if there are some
  bool faulty = false;  // the operator's code did what no operator may (BlackBox::fault)

  int64_t executions = 0;   // divided or partial runs compared with a whole one
  int64_t kernel_runs = 0;  // of the reference kernel, for whatever purpose
  double seconds = 0;       // not deterministic
};

}  // namespace metadist
