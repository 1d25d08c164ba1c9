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

// Runs decompositions divided by a composite factor and compares with the operator's own kernel.
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
  bool Agrees(const SymbolicFactor& factor,
              std::span<const int64_t> sizes,
              std::span<const std::pair<int64_t, InputMode>> runs);
  std::vector<int64_t> SizesFor(const SymbolicFactor& factor, int64_t tested, int64_t more);

  BlackBox& box_;
  const OpTable& ops_;
  const InnerRules& rules_;
  Sampler sampler_;
  const Discovered& found_;
  int64_t executions_ = 0;
};

}  // namespace metadist
