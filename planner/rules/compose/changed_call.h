// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "metair/ops/op_def.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// A call of which integers can be replaced, with the data that it points to.
struct ChangedCall {
  Attributes attributes;
  std::vector<Tensor> constants;  // by input
  OpCall call;

  explicit ChangedCall(const OpCall& from);
  ChangedCall(const ChangedCall&) = delete;
  ChangedCall& operator=(const ChangedCall&) = delete;

  // Replaces the integer that `at` names by what `change` makes of it.
  void Replace(const LiteralCut& at, const std::function<int64_t(int64_t)>& change);
};

}  // namespace metadist
