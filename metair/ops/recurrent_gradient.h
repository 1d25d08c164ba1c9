// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/gradient.h"
#include "metair/ops/recurrent.h"

namespace metadist {

// OpDef::gradient of a recurrent layer, step by step: a layer of both directions as two layers, a
// sequence as one layer for each of its elements, and that as its decomposition.
Result<void> RecurrentGradient(GradientCall& g,
                               const CellForm& form,
                               Result<Graph> (*decompose)(const OpCall& call));

}  // namespace metadist
