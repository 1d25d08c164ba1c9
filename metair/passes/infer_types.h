// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metair/ops/op_table.h"

namespace metadist {

struct InferOptions {
  // A node of constants is evaluated only if its results take at most this many bytes.
  int64_t fold_bytes = 16 << 20;
  // Types the results of a node whose operator is not in the table, given the types of all earlier
  // values. If empty, the results keep their types.
  std::function<Result<std::vector<TensorType>>(const Graph&, const Node&)> infer_unknown = {};
};

// Types all results of operators in the table, in node order. Along the way, nodes whose inputs are
// all constants are replaced by their results, because later shapes may depend on them. An operator
// that reads only the types of its inputs (OpDef::only_types) is evaluated as well. Parameters are
// never folded. Results of other operators are typed by options.infer_unknown. Errors: kBadInput,
// joined over all nodes that an operator rejects; nodes that depend on a rejected one are skipped.
Result<Graph> InferTypesAndFold(const Graph& graph,
                                const OpTable& ops,
                                const InferOptions& options = {});

// Whether all results have the types that their operators infer, regions included. Errors:
// kBadInput, all problems joined.
Result<void> VerifyTypes(const Graph& graph, const OpTable& ops);

}  // namespace metadist
