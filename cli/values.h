// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ir/result.h"
#include "metair/ir/shape.h"

// Parsers of flag values. Errors: kUsage with the expected form.
namespace metadist::cli {

// "80GiB", "512MB", "1.5g" (= GB), "1024", in either case: bytes, at least 0.
Result<int64_t> ParseBytes(const std::string& text);
// "1k", "32K" (= 1000), "25.6k", "64": a count, at least 0.
Result<int64_t> ParseCount(const std::string& text);
// "30s", "2m", "1h", "250ms", "30" (= seconds): seconds, above 0.
Result<double> ParseSeconds(const std::string& text);
// "5%", "0.05": a share, at least 0.
Result<double> ParseShare(const std::string& text);
// "5%", "5": percent, as a share.
Result<double> ParsePercent(const std::string& text);
// As ParseShare, at most 1: the gap at which a solver may stop.
Result<double> ParseGap(const std::string& text);
// "16x16", "7", "scalar": the sizes of an array, all at least 1.
Result<Shape> ParseShape(const std::string& text);

}  // namespace metadist::cli
