// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "planner/rules/probe/black_box.h"

namespace metadist {

// Everything that discovery can see of the call at box.values(), as a key: two calls with equal
// texts have equal rules. At shrunk values it is the call's canonical signature: sizes are replaced
// by standard small ones unless a literal or a product pattern makes them matter. Printable ASCII.
std::string SignatureText(const BlackBox& box);

}  // namespace metadist
