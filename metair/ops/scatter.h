// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ops/op_def.h"

// Shared by operators that write updates into a copy of input 0.
namespace metadist {

// Errors: kBadInput unless attribute `reduction` is none, add, mul, max or min, and the element
// type supports it.
Result<void> CheckScatterReduction(const OpCall& call);

// Combines `count` elements of `updates`, starting at `from`, into `to`, starting at `at`, one
// after the other, according to `reduction`. Both tensors have the same compute type, which
// CheckScatterReduction accepted.
void ScatterInto(const std::string& reduction,
                 const Tensor& updates,
                 int64_t from,
                 int64_t count,
                 Tensor& to,
                 int64_t at);

}  // namespace metadist
