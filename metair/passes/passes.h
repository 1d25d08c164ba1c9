// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ops/op_table.h"
#include "metair/passes/infer_types.h"

namespace metadist {

// Inputs of a pass besides the graph.
struct PassInput {
  const OpTable& ops;
  const InferOptions& infer;  // for passes that infer types
};

// One graph-to-graph transformation. It preserves the names, types and values of inputs and
// outputs, and the names of parameters.
struct PassDef {
  const char* name;
  const char* summary;
  Result<Graph> (*run)(const Graph& graph, const PassInput& input);
};

// All passes in the order in which they run (passes.def).
const std::vector<const PassDef*>& Passes();

struct PassOptions {
  std::set<std::string> off;  // names of passes to skip
  bool verify = false;        // verify graph and types after every pass
  InferOptions infer = {};
};

// Options that skip all passes but these.
PassOptions OnlyPasses(std::initializer_list<std::string_view> names);

struct PassReport {
  std::string name;
  double seconds = 0;
  int64_t nodes_before = 0;
  int64_t nodes_after = 0;
};

struct PassesDone {
  Graph graph;  // Renumbered
  std::vector<PassReport> reports;
};

// Runs the passes. Errors: kUsage for an unknown name in `off`, listing the known ones; errors of a
// pass or of the verifier.
Result<PassesDone> RunPasses(const Graph& graph, const PassOptions& options, const OpTable& ops);

}  // namespace metadist
