// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/problem.h"

// What `solve --check` prints.
namespace metadist::cli {

// What a given choice is worth. Both forms print what stands here and compute nothing.
struct ChoiceReport {
  std::string name;  // of the problem
  Evaluation worth;
  std::optional<int64_t> limit;

  // What holds most memory at the peak, the largest first.
  struct Holder {
    int node = 0;
    std::string name;
    int64_t strategy = 0;
    int64_t usage = 0;
  };
  std::vector<Holder> largest;
};

ChoiceReport ChoiceReportOf(const Problem& problem, const Choice& choice);

// Costs beyond 64 bits stand as they are in the JSON text.
std::string ChoiceJson(const Session& session, const ChoiceReport& report);
std::string ChoiceText(const ChoiceReport& report);

}  // namespace metadist::cli
