// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

// The devices as a grid of named axes. The first axis varies slowest (typically between nodes).
// Rank = row-major index.
struct Mesh {
  std::vector<MeshAxis> axes;

  int64_t ranks() const;
  int64_t size(int axis) const { return axes[static_cast<size_t>(axis)].size; }
  // Product of the sizes of several axes.
  int64_t size(const std::vector<int>& ids) const;
  // Index along every axis.
  std::vector<int64_t> CoordinateOf(int64_t rank) const;
  int64_t RankOf(const std::vector<int64_t>& coordinate) const;
  // Mixed-radix index of a coordinate along `ids`, first = major.
  int64_t IndexAlong(const std::vector<int>& ids, const std::vector<int64_t>& coordinate) const;
  // The ranks that differ from `rank` only along `ids`, in mixed-radix order of `ids`.
  std::vector<int64_t> Group(const std::vector<int>& ids, int64_t rank) const;
  // The id of the axis with that name, or -1.
  int Find(std::string_view name) const;
  bool operator==(const Mesh&) const = default;
};

// "data=4,model=8"; "1" for a mesh without axes.
std::string MeshText(const Mesh& mesh);
// "data=4,model=8", or "4x8" or "4" with axes named a, b, c. Errors: kUsage.
Result<Mesh> ParseMesh(std::string_view text);

}  // namespace metadist
