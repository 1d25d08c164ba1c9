// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "importers/onnx_model.h"
#include "importers/onnx_tensor.h"

namespace metadist {
namespace {

// Initializers of at most so many bytes stay in the proto: axes, shapes, scales.
constexpr int64_t kSmallBytes = 4096;

// From IR 4 on an initializer need not be a graph input; where it is one, it is a default, which is
// taken.
void RemoveWeightInputs(onnx::GraphProto* graph, const std::map<std::string, size_t>& weights) {
  auto* inputs = graph->mutable_input();
  int kept = 0;
  for (int i = 0; i < inputs->size(); ++i)
    if (weights.count(inputs->Get(i).name()) == 0) inputs->SwapElements(kept++, i);
  inputs->DeleteSubrange(kept, inputs->size() - kept);
}

void AddInput(onnx::GraphProto* graph, const onnx::TensorProto& tensor) {
  onnx::ValueInfoProto* input = graph->add_input();
  input->set_name(tensor.name());
  auto* type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(tensor.data_type());
  type->mutable_shape();
  for (int64_t size : tensor.dims()) type->mutable_shape()->add_dim()->set_dim_value(size);
}

}  // namespace

int64_t OpsetOf(const onnx::ModelProto& proto) {
  for (const auto& import : proto.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx") return import.version();
  return 1;
}

Result<OnnxModel> TakeWeights(onnx::ModelProto proto, ExternalData* external) {
  OnnxModel model;
  std::vector<Error> problems;
  onnx::GraphProto* graph = proto.mutable_graph();
  for (const auto& sparse : graph->sparse_initializer())
    problems.push_back(BadInput(fmt::format("initializer '{}'", sparse.values().name()),
                                "sparse tensors are not supported"));
  auto initializers = std::move(*graph->mutable_initializer());
  graph->clear_initializer();
  std::vector<onnx::TensorProto*> large;
  for (onnx::TensorProto& tensor : initializers) {
    const std::string where = fmt::format("initializer '{}'", tensor.name());
    const bool fresh = model.weight_index.emplace(tensor.name(), model.weights.size()).second;
    if (!fresh) problems.push_back(BadInput(where, "two initializers have this name"));
    auto type = TensorTypeOf(tensor);
    const bool small = type.ok() && type.value().bytes() <= kSmallBytes &&
                       tensor.data_location() != onnx::TensorProto::EXTERNAL;
    if (small) *graph->add_initializer() = tensor;
    if (!small) large.push_back(&tensor);
    auto taken = TakeTensor(&tensor, external);
    if (!taken.ok())
      problems.push_back(std::move(taken).error().in(where));
    else
      model.weights.emplace_back(tensor.name(), std::move(taken).value());
  }
  if (!problems.empty()) return Join(std::move(problems));
  RemoveWeightInputs(graph, model.weight_index);
  for (const onnx::TensorProto* tensor : large) AddInput(graph, *tensor);
  model.proto = std::move(proto);
  return model;
}

}  // namespace metadist
