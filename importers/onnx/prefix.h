// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "importers/onnx/model.h"

namespace metadist {

// What is known of the values of a model whose main graph is still being written, nodes in order:
// the nodes so far are typed and folded when somebody asks.
class Prefix {
 public:
  // Keeps references; the proto of `model` holds inputs and initializers, not the nodes.
  Prefix(const OnnxModel& model, ExternalData* external, const OpTable& ops)
      : model_(model), external_(external), ops_(ops) {}

  // The type of a value and, if it is a constant, its elements. written: the graph so far.
  // Errors: kBadInput if an operator before it is refused, or nothing makes it.
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
