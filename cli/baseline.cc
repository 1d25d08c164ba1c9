// SPDX-License-Identifier: Apache-2.0
// The tenth percentile is compared: other programs only ever make steps longer, and one lucky step
// says little.
#include "cli/baseline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.h"
#include "metair/ir/text_file.h"

namespace metadist::cli {
namespace {

constexpr char kHint[] = "make one with `metadist run ... --bench --json -o FILE`";

}  // namespace

Result<Baseline> ReadBaseline(const std::string& path) {
  const std::string text = TRY(ReadText(path, kHint));
  const auto document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document.contains("schema") || document["schema"] != "metadist.run")
    return BadInput(path, "expected a document of `metadist run --json`", kHint);
  const auto seconds = document.find("seconds");
  if (seconds == document.end() || !seconds->is_object() || !seconds->contains("p10") ||
      !(*seconds)["p10"].is_number() || !document.contains("mesh") ||
      !document["mesh"].is_string() || !document.contains("backend") ||
      !document["backend"].is_string())
    return BadInput(path, "expected mesh, backend and seconds.p10, got a document without", kHint);
  Baseline baseline{path, document["mesh"], document["backend"], (*seconds)["p10"]};
  if (!(baseline.seconds > 0))
    return BadInput(path, fmt::format("seconds.p10 must be positive, got {}", baseline.seconds));
  return baseline;
}

Result<void> CheckAlike(const Baseline& baseline,
                        const std::string& mesh,
                        const std::string& backend) {
  if (baseline.mesh == mesh && baseline.backend == backend) return {};
  return BadInput(
      baseline.path,
      fmt::format("must be measured the same way: expected mesh {} and back end {}, got {} and {}",
                  mesh,
                  backend,
                  baseline.mesh,
                  baseline.backend));
}

Result<void> CheckRegression(const Baseline& baseline, double seconds, double share) {
  if (seconds <= baseline.seconds * (1 + share)) return {};
  return Error{ErrorCode::kRegression,
               baseline.path,
               fmt::format("a step must take at most {:g} % more than {}, got {}",
                           share * 100,
                           SecondsText(baseline.seconds),
                           SecondsText(seconds)),
               "",
               {}};
}

}  // namespace metadist::cli
