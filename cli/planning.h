// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/session.h"
#include "planner/planner.h"

// From flags to a plan: shared by `plan` and `run MODEL`.
namespace metadist::cli {

struct PlanFlags {
  ModelFlags model;
  std::string cluster;
  std::string mesh = "auto";
  std::string memory;
  std::string solver = std::string(DefaultSolver().name);
  std::string gap = "0";
  std::string time_limit;
  std::string plan_template = "auto";
  std::string reduce_in = "f32";
  std::vector<std::string> constraints;
  std::string rules;  // file
  bool overlap = false;
  bool no_alternatives = false;
  std::string save_problem;  // file
  std::string choice;        // file
};

struct PlannedModel {
  LoadedModel model;
  Planned planned;
  Cluster cluster;
  double total_seconds = 0;
};

// Loads the model and plans it. Errors as LoadModel, FindCluster and MakePlan; for kInfeasible,
// `least` is set if given.
Result<PlannedModel> PlanModel(Session& session,
                               const PlanFlags& flags,
                               LeastMemory* least = nullptr);

// The plan's program, with the model's own bytes for those that a plan omits.
Result<Program> LowerWithData(const Plan& plan, const Graph& model);

}  // namespace metadist::cli
