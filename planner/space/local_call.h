// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"
#include "metair/spmd/fusion.h"
#include "planner/space/call_layout.h"
#include "profiles/cost.h"

namespace metadist {

// A node's call on one rank: local input types, local literals. Owns what the call points to; not
// copyable.
class LocalCall {
 public:
  LocalCall(const OpDef& op,
            const Graph& graph,
            const Node& node,
            const CallLayout& layout,
            const Mesh& mesh,
            int64_t rank);
  LocalCall(const LocalCall&) = delete;
  LocalCall& operator=(const LocalCall&) = delete;

  // Whether inference gives exactly the local shapes of the outputs that the layout promises.
  bool Fits() const;
  // The work of the call, which must fit. fused: which operands it exchanges within a fused group.
  ComputeWork work(const FusedOperands* fused = nullptr) const;
  // The call's name in the `calls` of a profile: operator, attributes, local types, and the
  // elements of small constants, whose values affect a kernel's time.
  std::string text() const;

 private:
  void Hold(const Graph& graph, const Node& node, const CallLayout& layout);

  OpCall call_;
  Attributes attributes_;
  std::deque<Tensor> literals_;
  std::vector<TensorType> promised_;
};

}  // namespace metadist
