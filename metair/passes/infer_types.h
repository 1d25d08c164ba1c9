// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metair/ops/op_table.h"

namespace metadist {

struct InferOptions {
  // A node of constants is evaluated only if its results take at most so many bytes.
  int64_t fold_bytes = 16 << 20;
  // Types of the results of a node whose operator the table does not hold, given the types of all
  // values before it. Absent: its results keep the types they have.
  std::function<Result<std::vector<TensorType>>(const Graph&, const Node&)> infer_unknown = {};
};

struct Inference {
  Graph graph;
  int64_t folded = 0;  // nodes replaced by constants
};

// Types every result of an operator that the table holds, in node order, and on the way replaces
// nodes whose inputs are all constants by their results: later shapes may depend on them. An
// operator that reads only the types of its inputs (OpDef::only_types) is evaluated as well.
// Parameters are never folded. Results of other operators are typed by options.infer_unknown.
// Errors: kBadInput joined over all nodes that an operator refuses; nodes that depend on a refused
// one are passed over.
Result<Inference> InferTypesAndFold(const Graph& graph,
                                    const OpTable& ops,
                                    const InferOptions& options = {});

// Whether the types of all results are what their operators infer, regions included.
// Errors: kBadInput, all problems joined.
Result<void> VerifyTypes(const Graph& graph, const OpTable& ops);

}  // namespace metadist
