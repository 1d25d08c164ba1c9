// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metair/ops/op_def.h"

// Costs that many operators share.
namespace metadist {

// Outputs consist of input elements, each read once.
Work MoveWork(const OpCall& call, std::span<const TensorType> outputs);
// No work at run time.
Work NoWork(const OpCall& call, std::span<const TensorType> outputs);
// One flop for each output element and input after the first.
Work VariadicWork(const OpCall& call, std::span<const TensorType> outputs);
// Every tensor moved once, and that many flops.
Work FlopsWork(const OpCall& call, std::span<const TensorType> outputs, int64_t flops);

}  // namespace metadist
