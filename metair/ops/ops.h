// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

// Included by the file of each operator X, which defines OpDef metadist::ops::MakeX(). Only
// op_table.cc declares these functions, from ops.def, so that a new operator recompiles none of the
// others.
