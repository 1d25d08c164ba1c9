// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

// The parameters that training changes, in value order: those whose names fit one of the patterns
// (trainable_pattern.h; * any run of characters, ? any one), or the default choice as patterns with
// signs change it: all floats but those that are recognisably no weights: written
// constants (small_weights.h); what every operator reads in a place that never holds weights
// (OpDef::untrained); arrays with elements that are not finite; geometric series (frequencies);
// sines and evenly spaced numbers along a dim, unless a matrix product reads them (tables of
// positions); and, if only elementwise operators read them, arrays of several dims with few
// different numbers (masks).
//
// Errors: kUsage for a pattern that no parameter matches, and for parameters that are no floats.
Result<std::vector<ValueId>> TrainedParameters(const Graph& graph,
                                               const std::vector<std::string>& patterns,
                                               const OpTable& ops);

}  // namespace metadist
