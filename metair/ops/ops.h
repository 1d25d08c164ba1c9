// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

// Makers, one for each operator of ops.def, defined in metair/ops/<op>.cc.
namespace metadist::ops {

#define OP(name) OpDef Make##name();
#include "metair/ops/ops.def"
#undef OP

}  // namespace metadist::ops
