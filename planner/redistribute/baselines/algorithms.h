// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"
#include "metair/spmd/collective.h"
#include "planner/redistribute/prime_mesh.h"
#include "profiles/cluster.h"
#include "profiles/priced.h"

namespace metadist {

// The methods of `metadist redistribute --algo`, in the order in which ties are broken.
struct RouteAlgorithm {
  std::string_view name;
  std::string_view help;
  bool baseline = false;  // a method of another system
};
const std::vector<RouteAlgorithm>& RouteAlgorithms();

// How to treat arrays whose dims do not divide evenly.
enum class Uneven : uint8_t {
  kRefuse,
  kP2p,     // balanced pieces, moved point to point
  kPadded,  // collectives on dims rounded up (padding.h); the last pieces are short
};

struct RouteRequest {
  TensorType type;  // global
  const PrimeMesh* mesh = nullptr;
  Sharding from, to;                     // on mesh->fine
  std::optional<std::string> algo = {};  // of RouteAlgorithms; none: the best of them
  Uneven uneven = Uneven::kRefuse;
  bool allow_p2p = false;            // whether the best may be point to point
  const Cluster* cluster = nullptr;  // prices; nullptr: by elements received
};

// A step of a route and its size; elements are those of the busiest rank.
struct RouteStep {
  CollectiveStep step;
  int64_t elements = 0;  // held by a rank after the step
  int64_t received = 0;
  std::optional<Priced> price;  // with a cluster
};

struct PlannedRoute {
  std::string algo;                   // the method that made it
  TensorType type;                    // of the array that is moved: as requested, or padded
  Sharding from, to;                  // the ends of the route
  std::vector<RouteStep> steps = {};  // empty: nothing to do
  int64_t peak_elements = 0;  // most elements of the array on a rank at either end or after a step
  int64_t both_elements = 0;  // most elements of a step's input and output together
  int64_t received_elements = 0;
  std::optional<Priced> price = {};
};

// Plans one redistribution. Deterministic. Errors: kUsage naming the dim or axis (sizes that do not
// divide, partial sums that only the destination has, an unknown method), or if the method has no
// route.
Result<PlannedRoute> PlanRoute(const RouteRequest& request);

}  // namespace metadist
