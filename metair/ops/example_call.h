// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// The constant inputs of an example, by input; Tensor() if an input is not constant.
std::vector<Tensor> ConstantsOf(const OpExample& example);

// The call that an example describes. It points into all three arguments, which must outlive it.
OpCall CallOf(const OpDef& op, const OpExample& example, std::span<const Tensor> constants);

}  // namespace metadist
