// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

namespace metadist {

// Fills output 0 from the normal distribution with attributes mean (0) and scale (1).
Result<void> DrawNormal(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out);

}  // namespace metadist
