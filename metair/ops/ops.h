// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

// What the file of an operator X includes: it defines OpDef metadist::ops::MakeX(). Only
// op_table.cc declares these makers, from ops.def, so that a new operator recompiles none of the
// others.
