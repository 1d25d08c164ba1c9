// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "planner/rules/compose/composite_check.h"
#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Runs the factors of a rule once more on the call that they are wanted for, divided and whole.
class Confirmation {
 public:
  // box: the call. inner: rules of the nodes of its decomposition. All must outlive the object.
  Confirmation(const SymbolicRule& found,
               BlackBox& box,
               const OpTable& ops,
               const InnerFound& inner,
               uint64_t seed)
      : found_(found), box_(box), ops_(ops), inner_(inner), seed_(seed) {}

  // Whether pieces differ from the whole where the atoms have these sizes, those of the call. False
  // where that cannot be tried: no legal inputs can be drawn, or no call that is small enough has
  // the call's structure.
  bool Refutes(const SymbolicFactor& factor, std::span<const int64_t> sizes);
  // The same of partial values that pass.
  bool Refutes(const PassThrough& pass, std::span<const int64_t> sizes);

 private:
  const SymbolicRule& found_;
  BlackBox& box_;
  const OpTable& ops_;
  const InnerFound& inner_;
  uint64_t seed_;
  std::optional<CompositeCheck> composites_;  // made when first needed
  // Sizes at which all passes are tried, once they are known; none: there are none.
  std::optional<std::optional<std::vector<int64_t>>> at_passes_;
};

}  // namespace metadist
