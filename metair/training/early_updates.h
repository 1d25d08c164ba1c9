// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/graph.h"

namespace metadist {

// The same training step with each update, and each sum, right after its gradient, so that few
// gradients exist at a time; but after the last use of the states that it replaces, which it may
// overwrite.
Graph WithEarlyUpdates(Graph step);

}  // namespace metadist
