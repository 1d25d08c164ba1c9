// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ir/graph.h"

namespace metadist {

// Elements [start, start + length) of a dim of size `whole`, to which indices are made relative.
struct IndexPart {
  int64_t start = 0;
  int64_t length = 0;
  int64_t whole = 0;    // 0: negative indices do not count from the end
  int64_t column = -1;  // convert only indices at this position of the last dim; -1: all
};

// The node that makes `indices` relative (local_index.cc); its attributes are named after the
// fields.
Node LocalIndexNode(std::string name, const IndexPart& part, ValueId indices, ValueId counted);

}  // namespace metadist
