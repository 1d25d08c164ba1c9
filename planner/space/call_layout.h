// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metair/spmd/program.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// How one call is divided: all that its price and its legality depend on, whether a strategy or a
// lowered program says so. It refers to where it was made from.
struct CallLayout {
  std::span<const Sharding> inputs;   // by input; empty shardings for those left out
  std::span<const Sharding> outputs;  // by output, as the node makes it
  std::span<const LocalLiteral> literals = {};
};

}  // namespace metadist
