// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

#include "planner/redistribute/baselines/algorithms.h"

namespace metadist {

using Twister = std::mt19937_64;

// Uniform in 0 to limit - 1.
inline int64_t Below(Twister& random, int64_t limit) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
}

// One redistribution; its mesh must outlive it.
struct RouteCase {
  RouteRequest request;  // of int32
  bool divides = true;
};

// Up to three axes of sizes 2 to 8, with at most `most_devices` devices.
PrimeMesh DrawMesh(Twister& random, int64_t most_devices);

// Two shardings of an array of `rank` dims with sizes of factors 2, 3 and 5: a third of the sources
// have partial sums, and a tenth of the cases do not divide (`uneven` set).
RouteCase DrawCase(Twister& random, const PrimeMesh& mesh, int64_t rank);

}  // namespace metadist
