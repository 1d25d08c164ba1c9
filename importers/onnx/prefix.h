// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "importers/onnx/model.h"

namespace metadist {

// The known types and elements of values in a model whose main graph is still being written, node
// by node: the nodes so far are typed and folded on demand.
class Prefix {
 public:
  // Keeps references. The proto of `model` has inputs and initializers, not the nodes.
  Prefix(const OnnxModel& model, ExternalData* external, const OpTable& ops)
      : model_(model), external_(external), ops_(ops) {}

  // The type of a value and, if it is a constant, its elements. written: the graph so far. Errors:
  // kBadInput if an operator before it is refused, or nothing defines it.
  Result<Tensor> Find(const std::string& name, const onnx::GraphProto& written);

 private:
  Result<void> Type(const onnx::GraphProto& written);

  const OnnxModel& model_;
  ExternalData* external_;
  const OpTable& ops_;
  int typed_ = -1;  // nodes of the graph that `known_` covers
  NamedTensors known_;
};

}  // namespace metadist
