// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/planning.h"
#include "cli/session.h"
#include "cli/throughput.h"
#include "planner/plan/plan.h"
#include "planner/search/plan_request.h"

namespace metadist::cli {

// The contents of `plan`'s report. Both output forms print these fields and compute nothing.
struct PlanReport {
  PlanOrigin origin;
  std::string mesh;
  SolverReport solver;
  double free_gap = 0;  // (cost - bound) / cost, with the bound over all meshes and all choices for
                        // every layer

  Priced step;
  Priced compute;
  Priced communication;
  double communication_share = 0;  // of the step
  Overlapped overlap;
  bool overlaps = false;  // collectives of the plan run beside its nodes
  std::map<std::string, Traffic> collectives;
  std::map<std::string, Traffic> collectives_by_axis;

  MemoryUse memory;
  int64_t memory_limit_bytes = 0;

  Throughput throughput;

  std::string reduce_in;        // "f32" or "type"
  int64_t narrow_partials = 0;  // number of partial sums and products of floats narrower than f32
  double parallel_flops = 0;    // share of the model's FLOPs divided among ranks

  // Shardings of the parameters, those with most bytes first.
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

// The JSON document of `metadist plan --json`, with its documented keys, and the text form.
nlohmann::ordered_json PlanReportJson(const Session& session, const PlanReport& report);
std::string PlanReportText(const PlanReport& report);

}  // namespace metadist::cli
