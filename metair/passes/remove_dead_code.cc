// SPDX-License-Identifier: Apache-2.0
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

Result<Graph> RemoveDeadCode(const Graph& graph, const PassInput&) {
  return WithoutDeadCode(graph);
}

}  // namespace

extern const PassDef kPass_remove_dead_code = {
    .name = "remove_dead_code",
    .summary = "drop nodes, parameters and constants that no output depends on",
    .run = RemoveDeadCode};

}  // namespace metadist::passes
