// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/problem.h"

// The output of `solve --check`.
namespace metadist::cli {

// Cost and feasibility of a given choice. Both output forms print these fields and compute nothing.
struct ChoiceReport {
  std::string name;  // of the problem
  Evaluation worth;
  std::optional<int64_t> limit;

  // A node with large memory use at the peak; the largest first.
  struct Holder {
    int node = 0;
    std::string name;
    int64_t strategy = 0;
    int64_t usage = 0;
  };
  std::vector<Holder> largest;
};

ChoiceReport ChoiceReportOf(const Problem& problem, const Choice& choice);

// Costs beyond 64 bits are written as they are into the JSON text.
std::string ChoiceJson(const Session& session, const ChoiceReport& report);
std::string ChoiceText(const ChoiceReport& report);

}  // namespace metadist::cli
