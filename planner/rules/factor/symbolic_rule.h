// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/rules/factor/rule.h"
#include "planner/rules/factor/symbolic.h"

// The result of discovery: a symbolic rule. At the sizes of a call it becomes a Rule.
namespace metadist {

// Numbers of ranks on which every factor is tested.
inline constexpr std::array<int64_t, 3> kRanksTested{2, 3, 4};

// A symbolic factor, valid for every call of the signature, whatever its sizes.
struct SymbolicFactor {
  std::string name;
  std::vector<int> atoms;  // cut together; several for a+b
  std::vector<SymbolicCut> inputs;
  std::vector<SymbolicCut> outputs;
  std::map<int, ReduceOp> reductions;
  std::vector<int> partial_inputs;
  bool local_literals = false;  // literals that contain an atom of the factor shrink with the piece
  std::vector<SymbolicShift> shifts;   // literals that depend on where the piece is
  std::vector<SymbolicIndex> indices;  // inputs of indices, counted from the start of the piece
  std::vector<EndLiteral> ends;
  std::map<int, int64_t> fixed;  // atoms and the only size at which the factor holds
  bool even_only = false;
  int64_t least_piece = 1;
  bool any_order = false;  // as in Factor
  InnerUse inner = {};
  bool composite = false;
  std::vector<InnerUse> others = {};
  bool operator==(const SymbolicFactor&) const = default;
};

// An input as discovery sees it.
struct SymbolicInput {
  bool is_tensor = false;  // false: absent, a literal, or fixed
  std::vector<SymbolicSize> sizes = {};
  bool operator==(const SymbolicInput&) const = default;
};

// What running an operator on small inputs showed, in symbolic form.
struct SymbolicRule {
  std::vector<int64_t> atoms;       // their sizes in the sample call
  std::vector<SymbolicInput> dims;  // by input
  std::vector<SymbolicLiteral>
      literals;  // all integers of the call; those that are no sizes have no atoms
  std::vector<SymbolicFactor> factors;
  std::vector<PassThrough> pass_through;
  // Factors that hold for ordinary numbers, but not for infinities, NaN or integers that wrap
  // around.
  std::vector<SymbolicFactor> refuted = {};
  std::string text;     // one-line notation; "none" if nothing could be run
  std::string reason;   // why there are no factors; empty if there are some
  bool faulty = false;  // the operator's code misbehaved (BlackBox::fault)

  int64_t executions = 0;   // divided or partial runs compared with a whole one
  int64_t kernel_runs = 0;  // of the reference kernel, for any purpose
  double seconds = 0;       // not deterministic
};

}  // namespace metadist
