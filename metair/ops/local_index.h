// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ir/graph.h"

namespace metadist {

// Elements [start, start + length) of a dim of size `whole`, within which indices are counted.
struct IndexPart {
  int64_t start = 0;
  int64_t length = 0;
  int64_t whole = 0;    // 0: an index below 0 does not count from the end
  int64_t column = -1;  // only indices at this place of the last dim; -1: all
};

// The node that counts `indices` so (local_index.cc); its attributes have the names of the fields.
Node LocalIndexNode(std::string name, const IndexPart& part, ValueId indices, ValueId counted);

}  // namespace metadist
