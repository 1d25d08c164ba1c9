// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_table.h"

namespace metadist {

// The model with its parameters of f32 in `narrow` (f16 or bf16), and what is computed with them.
// Inputs and outputs keep their types. What does not depend on parameters stays f32 - positions,
// masks, tables - until it meets a narrow value; so do nodes that make single numbers, such as
// losses, nodes with bodies, and running statistics. An operator that does not take the narrow type
// runs in f32.
//
// model: typed, with all constants folded. Errors: kBadInput for an operator that is not in the
// table.
// Source: Micikevicius et al. 2018, "Mixed precision training" (arXiv 1710.03740).
Result<Graph> InPrecision(const Graph& model, ElementType narrow, const OpTable& ops);

}  // namespace metadist
