// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/rules/compose/composite_check.h"
#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Runs the factors of a rule once more on the call for which they are used, divided and whole.
class Confirmation {
 public:
  // What both refer to must outlive the object.
  Confirmation(const TestedCall& call, const SymbolicRule& found)
      : tested_(call), box_(call.box), found_(found) {}

  // Whether pieces differ from the whole at these atom sizes, those of the call. False if that
  // cannot be tested: no legal inputs can be drawn, or no small enough call has the call's
  // structure.
  bool Refutes(const SymbolicFactor& factor, std::span<const int64_t> sizes);
  // The same for partial values that pass through. Of thousands, only some are run.
  bool Refutes(const PassThrough& pass, std::span<const int64_t> sizes);

 private:
  // How pass-throughs are run.
  struct PassRuns {
    std::optional<std::vector<int64_t>> values = {};  // of the call; nullopt: they are not run
    int64_t every = 1;                                // of how many one is run
    int64_t asked = 0;                                // so far
  };
  PassRuns PlanPassRuns(std::span<const int64_t> sizes) const;

  const TestedCall tested_;
  BlackBox& box_;
  const SymbolicRule& found_;
  std::optional<CompositeCheck> composites_;  // created when first needed
  std::optional<PassRuns> pass_runs_;         // planned when first needed
};

}  // namespace metadist
