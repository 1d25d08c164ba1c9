// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/planning.h"
#include "cli/session.h"
#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"
#include "planner/plan/plan.h"

// The flags of `run` and the job they describe.
namespace metadist::cli {

struct RunFlags {
  PlanFlags plan;  // its model path is the PLAN or MODEL argument
  int ranks = 0;
  int ranks_of_model = 1;  // for a model, if no flag gives the number
  std::string backend;     // "": depends on how the process was started
  std::string timeout;
  double timeout_seconds = 60;  // maximum time that a rank waits for another
  std::string inputs;
  std::vector<std::string> input;
  std::string expect;
  std::string load_state;
  std::string save_state;
  std::string trace;
  std::string streams = "auto";
  bool bench = false;
  bool no_check = false;
  bool random_weights = false;
  int iterations = 0;
  int steps = 0;  // 0: not given
  std::optional<int> warm_up;
  std::string baseline;
  std::string max_regress;
};

// The job: the whole model, and how it is split (nothing: one device).
struct Job {
  Graph graph;
  std::shared_ptr<const OpTable> ops;
  std::optional<Plan> plan;
  std::string name;

  int64_t ranks() const { return plan.has_value() ? plan->mesh.ranks() : 1; }
  std::string mesh() const { return plan.has_value() ? MeshText(plan->mesh) : "1"; }
};

// Reads the plan and its model, or plans the model for --ranks. Errors: kUsage and kBadInput for a
// plan whose model is missing or has changed; kUsage for flags that plan, where nothing is planned;
// those of reading and planning.
Result<Job> LoadJob(Session& session, const RunFlags& flags);

}  // namespace metadist::cli
