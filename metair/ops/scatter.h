// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ops/op_def.h"

// What the operators share that write updates into a copy of input 0.
namespace metadist {

// kBadInput unless attribute `reduction` is none, add, mul, max or min, and the element type has
// that arithmetic.
Result<void> CheckScatterReduction(const OpCall& call);

// Combines `count` elements of `updates` from `from` into `to` at `at`, one after the other, as
// `reduction` says; both tensors have one compute type, for which CheckScatterReduction passed.
void ScatterInto(const std::string& reduction,
                 const Tensor& updates,
                 int64_t from,
                 int64_t count,
                 Tensor& to,
                 int64_t at);

}  // namespace metadist
