// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"

namespace metadist {

// A unit of execution of a rank, prepared: a node, several nodes that run together, or a collective
// step.
struct Call {
  NodeId node = kNone;         // the first one
  std::vector<NodeId> others;  // nodes that run with it, ascending
  std::string kernel;  // "MatMul/onednn", "AllReduce"; of a chain: those of its nodes, joined by
                       // '+'
  bool collective = false;
  bool overlaps = false;  // a collective that runs beside the calls after it
  // The last collective that overlaps nodes and must be done before; kNone: none.
  NodeId after = kNone;
  std::function<Result<void>()> run;  // enqueues it; allocates nothing
};

}  // namespace metadist
