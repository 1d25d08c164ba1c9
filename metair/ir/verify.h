// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/graph.h"
#include "metair/ir/result.h"

namespace metadist {

// Whether a graph is well formed: ids in range; names unique and not empty; every value made once
// and before its uses (hence no cycle); kinds and producers consistent; stored tensors of the
// value's type; state pairs of equal type that end in outputs; captures matching the inputs of
// their region's graph; regions likewise. Types of results are checked against their operators in
// metair/passes/infer_types.h. Errors: kBadInput with all problems joined.
Result<void> Verify(const Graph& graph);

}  // namespace metadist
