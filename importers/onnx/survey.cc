// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <utility>

#include "importers/onnx/adapt_sequences.h"
#include "importers/onnx/adapt_shapes.h"
#include "importers/onnx/cases.h"
#include "importers/onnx/model.h"
#include "importers/onnx/types.h"
#include "metair/ops/onnx_types.h"

namespace metadist {
namespace {

std::string NameOf(const onnx::NodeProto& node) {
  return node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
}

class Surveyor {
 public:
  void VisitGraph(const onnx::GraphProto& graph) {
    for (const auto& value : graph.input()) VisitInput(value.type());
    for (const auto& value : graph.output()) VisitType(value.type());
    for (const auto& value : graph.value_info()) VisitType(value.type());
    for (const auto& tensor : graph.initializer()) VisitElement(tensor.data_type());
    if (graph.sparse_initializer_size() > 0) needs.missing_types.insert("sparse tensor");
    for (const auto& node : graph.node()) VisitNode(node);
  }

  void VisitNode(const onnx::NodeProto& node) {
    const std::string name = NameOf(node);
    if (std::find(needs.operators.begin(), needs.operators.end(), name) == needs.operators.end())
      needs.operators.push_back(name);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_t()) VisitElement(attribute.t().data_type());
      if (attribute.has_sparse_tensor()) needs.missing_types.insert("sparse tensor");
      if (attribute.has_g()) VisitGraph(attribute.g());
    }
  }

  OnnxNeeds needs;

 private:
  void VisitElement(int32_t number) {
    if (number != 0 && !ElementTypeOfOnnx(number)) needs.missing_types.insert(OnnxTypeName(number));
  }

  void VisitInput(const onnx::TypeProto& type) {
    const bool tensor = type.has_tensor_type() || type.value_case() == type.VALUE_NOT_SET;
    if (tensor) return VisitType(type);
    needs.missing_types.insert(type.has_sequence_type()   ? "sequence as an input"
                               : type.has_optional_type() ? "optional value as an input"
                                                          : "of an input");
  }

  void VisitType(const onnx::TypeProto& type) {
    if (type.has_tensor_type()) VisitElement(type.tensor_type().elem_type());
    if (type.has_sequence_type()) needs.missing_types.insert("sequence");
    if (type.has_optional_type()) needs.missing_types.insert("optional");
    if (type.has_map_type()) needs.missing_types.insert("map");
    if (type.has_sparse_tensor_type()) needs.missing_types.insert("sparse tensor");
  }
};

}  // namespace

Result<OnnxNeeds> SurveyOnnx(const std::string& path) {
  OnnxModel model;
  model.proto = TRY(ParseModel(path));
  OnnxModel normal = model;
  ExternalData external(std::filesystem::path(path).parent_path().string());
  if (Normalize(&normal).ok()) model = normal;
  if (ExpandSequences(&normal, &external, OpTable::BuiltIn()).ok()) model = std::move(normal);
  InferShapes(&model.proto);
  Surveyor surveyor;
  surveyor.VisitGraph(model.proto.graph());
  return std::move(surveyor.needs);
}

Result<std::string> SubjectOf(const OnnxCase& one) {
  namespace fs = std::filesystem;
  std::string path = one.model;
  const std::string folder = fs::path(path).parent_path().string();
  const size_t cut = folder.rfind("_expanded");
  std::error_code ignored;
  if (cut != std::string::npos && fs::exists(folder.substr(0, cut) + "/model.onnx", ignored))
    path = folder.substr(0, cut) + "/model.onnx";
  const onnx::ModelProto model = TRY(ParseModel(path));
  std::set<std::string> with_inputs;
  std::set<std::string> all;
  for (const auto& node : model.graph().node()) {
    all.insert(NameOf(node));
    if (node.input_size() > 0) with_inputs.insert(NameOf(node));
  }
  if (with_inputs.empty()) with_inputs = std::move(all);
  return with_inputs.size() == 1 ? *with_inputs.begin() : std::string();
}

}  // namespace metadist
