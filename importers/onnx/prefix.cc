// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/prefix.h"

#include <fmt/format.h>

#include "metair/passes/infer_types.h"

namespace metadist {

Result<void> Prefix::Type(const onnx::GraphProto& written) {
  OnnxModel part = model_;
  *part.proto.mutable_graph() = written;
  part.proto.mutable_graph()->clear_output();
  Imported ignored;
  const BuiltGraph built = TRY(BuildGraph(&part, external_, ops_, &ignored));
  InferOptions infer;
  infer.infer_unknown = [&](const Graph& graph, const Node& node) {
    return InferUnknown(built, part.proto, graph, node);
  };
  const Graph typed = TRY(InferTypesAndFold(built.graph, ops_, infer));
  known_.clear();
  for (const Value& value : typed.values) {
    const bool constant = value.kind == ValueKind::kConstant && value.data.has_data();
    known_.emplace(value.name, constant ? value.data : Tensor::Absent(value.type));
  }
  typed_ = written.node_size();
  return {};
}

Result<Tensor> Prefix::Find(const std::string& name, const onnx::GraphProto& written) {
  auto found = known_.find(name);
  if (found == known_.end() && typed_ < written.node_size()) {
    TRY(Type(written));
    found = known_.find(name);
  }
  if (found == known_.end()) return BadInput(fmt::format("value '{}'", name), "it is undefined");
  return found->second;
}

}  // namespace metadist
