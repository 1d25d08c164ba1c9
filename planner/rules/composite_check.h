// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/black_box.h"
#include "planner/rules/composite.h"
#include "planner/rules/sampler.h"

namespace metadist {

// Slot values of a call of the family of `found`, at these atom sizes.
std::vector<int64_t> ValuesAt(const Discovered& found,
                              const BlackBox& box,
                              std::span<const int64_t> sizes);

// The call in f64 if its decomposition has the same form then, so that no number in it is rounded
// to f32: pieces are compared with a kernel that computes in f64. The operator must have one.
OpCall ExactCall(const OpCall& call);

// Runs decompositions and recipes divided by a composite factor and compares with the operator's
// own kernel.
class CompositeCheck {
 public:
  CompositeCheck(BlackBox& box,
                 const OpTable& ops,
                 const InnerRules& rules,
                 uint64_t seed,
                 const Discovered& found)
      : box_(box), ops_(ops), rules_(rules), sampler_(box, seed), found_(found) {}

  // Whether the factor holds: on 2, 3 and 4 ranks, even and uneven pieces, other sizes, inputs of
  // all kinds. Sets least_piece.
  bool Holds(SymbolicFactor& factor);

  int64_t executions() const { return executions_; }

 private:
  // What is said of a factor at some sizes: it holds, it does not, or some rank's call is refused.
  enum class Verdict : uint8_t { kHolds, kDiffers, kRefused };

  Verdict Judge(const SymbolicFactor& factor,
                std::span<const int64_t> sizes,
                std::span<const std::pair<int64_t, InputMode>> runs);
  Verdict HoldsAt(const SymbolicFactor& factor, int64_t times);
  std::vector<int64_t> SizesFor(const SymbolicFactor& factor, int64_t tested, int64_t more);

  BlackBox& box_;
  const OpTable& ops_;
  const InnerRules& rules_;
  Sampler sampler_;
  const Discovered& found_;
  int64_t executions_ = 0;
};

}  // namespace metadist
