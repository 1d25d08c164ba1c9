// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "executor/run/run.h"

namespace metadist {

// The last step of a run as a Chrome trace (opens in Perfetto): complete events in microseconds,
// process = rank, thread 0 = compute, thread 1 = collectives. Predicted traces have the same
// layout, so both can be overlaid.
std::string TraceJson(const Program& program, const RunResult& result);

}  // namespace metadist
