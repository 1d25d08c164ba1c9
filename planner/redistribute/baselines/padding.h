// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// An array made larger so that both ends divide it.
struct PaddedEnds {
  Shape shape;
  Sharding from, to;
};

// Rounds every dim up to the smallest multiple of the pieces that it is cut into at either end.
// The elements come first; a piece at offset o with c places holds clamp(n - o, 0, c) of n.
// Errors: kUsage naming the dim, where a dim seen as sub-dims or parts does not divide.
Result<PaddedEnds> PadEnds(const Shape& shape,
                           const Sharding& from,
                           const Sharding& to,
                           const Mesh& mesh);

}  // namespace metadist
