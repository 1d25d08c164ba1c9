// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// A mesh, and the same mesh with every axis split into prime factors, major to minor. Both number
// the ranks equally, so a sharding on `fine` applies to the ranks of `whole`.
//
// A sub-axis is written `x@2.4`: of axis x, after more major parts of product 2, size 4. A fine
// axis that is a whole axis keeps that axis's name.
struct PrimeMesh {
  Mesh whole;
  Mesh fine;
  std::vector<std::vector<int>> factors;  // by whole axis: ids in `fine`, major to minor

  // Axis of `whole` to which a fine axis belongs.
  int AxisOf(int fine_axis) const;
};

enum class AxisOrder : uint8_t { kMajorFirst, kMinorFirst };

// Splits the mesh so that every sub-axis in the texts is a run of factors; ascending primes where
// the texts leave a choice. texts: shardings as for ParseOn. Errors: kUsage for a sub-axis that its
// axis does not have, or two that overlap in part.
Result<PrimeMesh> SplitMesh(const Mesh& mesh, const std::vector<std::string>& texts);

// A sharding on mesh.fine, from axes and sub-axes of mesh.whole, in either order of the axes of a
// dim. Errors: kUsage naming the dim or axis.
Result<Sharding> ParseOn(std::string_view text,
                         const Shape& shape,
                         const PrimeMesh& mesh,
                         AxisOrder order = AxisOrder::kMajorFirst);

// The text of a sharding on mesh.fine, with neighbouring factors of one axis joined.
std::string TextOn(const Sharding& sharding,
                   const PrimeMesh& mesh,
                   AxisOrder order = AxisOrder::kMajorFirst);
// The axes of a step, joined in the same way: "x,y@2.2".
std::string AxesTextOn(const std::vector<int>& fine_axes, const PrimeMesh& mesh);

}  // namespace metadist
