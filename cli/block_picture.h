// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist::cli {

// Who holds what of an array of one or two dims: its blocks by rows and columns, in each the ranks
// that hold it, before each row and above each column the index of its first element. A block that
// is a sum of operands reads 0+4. Lines of one length, a title above them; nothing for other
// arrays, and for blocks too many to look at.
// shape: the sharding's; extent: how much of it is elements, the rest is padding.
std::vector<std::string> BlockPicture(const std::string& title,
                                      const Shape& shape,
                                      const Shape& extent,
                                      const Sharding& sharding,
                                      const Mesh& mesh);

// Two pictures beside each other, or below where they are too wide; "" if one is missing.
std::string SideBySide(const std::vector<std::string>& left, const std::vector<std::string>& right);

}  // namespace metadist::cli
