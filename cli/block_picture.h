// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist::cli {

// Shows which ranks hold which parts of an array of one or two dims: its blocks by rows and
// columns, in each the ranks that hold it, before each row and above each column the index of its
// first element. A partial block, the sum of several operands, is shown as 0+4. Lines of equal
// length under a title; empty for other arrays and for too many blocks. shape: the sharding's;
// extent: the part of it that is elements, the rest is padding.
std::vector<std::string> BlockPicture(const std::string& title,
                                      const Shape& shape,
                                      const Shape& extent,
                                      const Sharding& sharding,
                                      const Mesh& mesh);

// Two pictures side by side, or one below the other if they are too wide; "" if one is missing.
std::string SideBySide(const std::vector<std::string>& left, const std::vector<std::string>& right);

}  // namespace metadist::cli
