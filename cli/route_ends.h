// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"
#include "planner/redistribute/baselines/algorithms.h"
#include "planner/redistribute/prime_mesh.h"

namespace metadist::cli {

// The name that --algo has for no method in particular.
inline constexpr char kBestMethod[] = "auto";

struct RouteFlags {
  std::string mesh;
  std::string shape;
  std::string from;
  std::string to;
  std::string dtype = "f32";
  std::string algo = kBestMethod;
  std::string cluster;
  std::string uneven;
  std::string order = "major";
  bool allow_p2p = false;
  bool run = false;
};

// The array, mesh and shardings of a redistribution, read from the flags.
struct RouteEnds {
  TensorType type;
  PrimeMesh mesh;
  Sharding from, to;  // on mesh.fine
  AxisOrder order = AxisOrder::kMajorFirst;
  Uneven uneven = Uneven::kRefuse;
};

// Errors: kUsage; every flag's problems at once.
Result<RouteEnds> ReadRouteEnds(const RouteFlags& flags);

}  // namespace metadist::cli
