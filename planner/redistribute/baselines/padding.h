// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// An array enlarged so that both ends divide it evenly.
struct PaddedEnds {
  Shape shape;
  Sharding from, to;
};

// Rounds every dim up to the smallest multiple of the numbers of pieces at both ends. Padding comes
// last: a piece of c positions at offset o holds clamp(n - o, 0, c) of the n elements. Errors:
// kUsage naming the dim, if a dim seen as sub-dims or parts does not divide.
Result<PaddedEnds> PadEnds(const Shape& shape,
                           const Sharding& from,
                           const Sharding& to,
                           const Mesh& mesh);

}  // namespace metadist
