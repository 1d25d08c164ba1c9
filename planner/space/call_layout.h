// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metair/spmd/program.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// How one call is divided: everything that its price and its legality depend on, taken from a
// strategy or from a lowered program. Only refers to that data.
struct CallLayout {
  std::span<const Sharding> inputs;   // by input; an empty sharding for an omitted input
  std::span<const Sharding> outputs;  // by output, as the node makes it
  std::span<const LocalLiteral> literals = {};
};

}  // namespace metadist
