// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"

namespace metadist {

// What a rank runs at one go, prepared: a node, several that run as one, or a collective step.
struct Call {
  NodeId node = kNone;         // the first
  std::vector<NodeId> others;  // that run with it, ascending
  std::string kernel;  // "MatMul/onednn", "AllReduce"; of a chain: its nodes', joined by '+'
  bool collective = false;
  std::function<Result<void>()> run;  // enqueues it; allocates nothing
};

}  // namespace metadist
