// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ir/result.h"

namespace metadist::cli {

// An earlier measurement, as `run --bench --json` wrote it.
struct Baseline {
  std::string path;
  std::string mesh;
  std::string backend;
  double seconds = 0;  // that nine of ten steps took at least
};

// Errors: kBadInput for what is no such document.
Result<Baseline> ReadBaseline(const std::string& path);

// Errors: kBadInput where the two are not run alike.
Result<void> CheckAlike(const Baseline& baseline,
                        const std::string& mesh,
                        const std::string& backend);
// Errors: kRegression where nine of ten steps now take more than 1 + `share` times as long.
Result<void> CheckRegression(const Baseline& baseline, double seconds, double share);

}  // namespace metadist::cli
