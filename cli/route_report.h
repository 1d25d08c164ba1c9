// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/route_check.h"
#include "cli/route_ends.h"
#include "cli/session.h"

namespace metadist::cli {

// A redistribution as planned and, with --run, as executed.
struct RouteResult {
  RouteEnds ends;
  PlannedRoute route;
  double planning_seconds = 0;
  std::optional<RouteCheck> check;
};

// The documented keys of `metadist redistribute --json`, and the same for people.
nlohmann::ordered_json RouteJson(const Session& session, const RouteResult& result);
std::string RouteText(const RouteResult& result);

}  // namespace metadist::cli
