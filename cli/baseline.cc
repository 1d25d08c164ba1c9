// SPDX-License-Identifier: Apache-2.0
// The tenth percentile is compared: other programs can only make steps slower, and a single fast
// step means little.
#include "cli/baseline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.h"
#include "metair/ir/text_file.h"
#include "metair/json/document.h"
#include "metair/json/visitor.h"

namespace metadist::cli {
namespace {

constexpr char kHint[] = "make one with `metadist run ... --bench --json -o FILE`";

}  // namespace

Result<Baseline> ReadBaseline(const std::string& path) {
  const auto document = TRY(ParseJson(TRY(ReadText(path, kHint)), path, "a run's report", kHint));
  Baseline baseline{path, "", "", 0};
  const auto read = ReadJson(document, path, [&](JsonVisitor& v) {
    v.LeaveRest();
    v.Constant("schema", "metadist.run");
    if (!v.ok()) return;
    v.Field("mesh", baseline.mesh);
    v.Field("backend", baseline.backend);
    v.Object("seconds", [&](JsonVisitor& seconds) {
      seconds.LeaveRest();
      seconds.Field("p10", baseline.seconds, Reals::kPositive);
    });
  });
  if (read.ok()) return baseline;
  Error error = read.error();
  error.hint = kHint;
  return error;
}

Result<void> CheckComparable(const Baseline& baseline,
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
                           SecondsText(seconds))};
}

}  // namespace metadist::cli
