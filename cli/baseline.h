// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"

namespace metadist::cli {

// An earlier measurement, as written by `run --bench --json`.
struct Baseline {
  std::string path;
  std::string mesh;
  std::string backend;
  double seconds = 0;  // the tenth percentile of the step times
};

// Errors: those of ReadText; kBadInput if the file is not such a document.
Result<Baseline> ReadBaseline(const std::string& path);

// Errors: kBadInput if the two runs are not comparable.
Result<void> CheckComparable(const Baseline& baseline,
                             const std::string& mesh,
                             const std::string& backend);
// Errors: kRegression if the tenth percentile of the step time is more than 1 + `share` times the
// baseline's.
Result<void> CheckRegression(const Baseline& baseline, double seconds, double share);

}  // namespace metadist::cli
