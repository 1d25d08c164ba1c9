// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/planning.h"
#include "cli/session.h"
#include "planner/plan/plan.h"
#include "planner/search/plan_request.h"

namespace metadist::cli {

// What `plan` reports. Both forms print what stands here and compute nothing.
struct PlanReport {
  PlanOrigin origin;
  std::string mesh;
  SolverReport solver;
  double free_gap = 0;  // (cost - bound) / cost, by the bound of all layers free on all meshes

  Priced step;
  Priced compute;
  Priced communication;
  double communication_share = 0;  // of the step
  std::map<std::string, Traffic> collectives;
  std::map<std::string, Traffic> collectives_by_axis;

  MemoryUse memory;
  int64_t memory_limit_bytes = 0;

  std::string reduce_in;        // "f32" or "type"
  int64_t narrow_partials = 0;  // partial sums and products of floats narrower than f32
  double parallel_flops = 0;    // share of the model's FLOPs that run divided among ranks

  // Shardings of the parameters, those of most bytes first.
  struct Placement {
    std::string sharding;
    int64_t tensors = 0;
    int64_t bytes = 0;  // of the whole tensors
  };
  std::vector<Placement> parameters;

  std::vector<Alternative> alternatives;

  PhaseSeconds seconds;
  double import_seconds = 0;
  double total_seconds = 0;
  RouteEffort routes;
};

PlanReport PlanReportOf(const PlannedModel& planned);

// The documented keys of `metadist plan --json`, and the same for people.
nlohmann::ordered_json PlanJson(const Session& session, const PlanReport& report);
std::string PlanText(const PlanReport& report);

}  // namespace metadist::cli
