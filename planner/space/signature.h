// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/graph.h"

namespace metadist {

// Text that is equal for two nodes exactly if their strategies are: operator, attributes, types of
// all inputs and outputs, and the elements of small constant inputs. Names play no part.
std::string SignatureOf(const Graph& graph, const Node& node);

}  // namespace metadist
