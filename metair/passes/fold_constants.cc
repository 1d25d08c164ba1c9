// SPDX-License-Identifier: Apache-2.0
#include "metair/passes/infer_types.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

Result<Graph> FoldConstants(const Graph& graph, const PassInput& input) {
  return InferTypesAndFold(graph, input.ops, input.infer);
}

}  // namespace

extern const PassDef kPass_fold_constants = {
    .name = "fold_constants",
    .summary = "infer types anew and evaluate nodes whose inputs are constants",
    .run = FoldConstants};

}  // namespace metadist::passes
