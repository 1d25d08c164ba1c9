// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// The route that reduces what must be reduced and then lets every rank fetch what it lacks from the
// nearest holder. It exists between any two valid shardings and moves the fewest possible bytes,
// but a rank holds both arrays meanwhile. to: partial only where `from` is.
std::vector<CollectiveStep> PointToPoint(const Shape& shape,
                                         const Sharding& from,
                                         const Sharding& to,
                                         const Mesh& mesh);

// The axes along which `a` is partial and `b` is not in the same way.
std::vector<int> AxesPartialOnlyIn(const Sharding& a, const Sharding& b);

// Axes that take part in an exchange: those that cut either side, except the major axes on which
// both sides agree in an evenly divided dim.
std::vector<int> ExchangeAxes(const Shape& shape,
                              const Sharding& from,
                              const Sharding& to,
                              const Mesh& mesh);

}  // namespace metadist
