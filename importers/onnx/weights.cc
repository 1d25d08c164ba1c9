// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "importers/onnx/model.h"
#include "importers/onnx/tensor.h"

namespace metadist {
namespace {

// Initializers of at most this size stay in the proto: axes, shapes, scales.
constexpr int64_t kSmallBytes = 4096;

// From IR 4 on an initializer need not be a graph input; if it is one, it is a default value, which
// is used here.
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

int64_t OpsetOf(const onnx::ModelProto& proto) { return OpsetsOf(proto.opset_import()).at(""); }

OnnxModel TakeWeights(onnx::ModelProto proto, ExternalData* external, Faults* faults) {
  OnnxModel model;
  onnx::GraphProto* graph = proto.mutable_graph();
  for (const auto& sparse : graph->sparse_initializer()) {
    faults->Add(fmt::format("initializer '{}'", sparse.values().name()),
                "sparse tensors are not supported",
                "store it as a dense initializer");
    faults->values.insert(sparse.values().name());
  }
  auto initializers = std::move(*graph->mutable_initializer());
  graph->clear_initializer();
  std::vector<const onnx::TensorProto*> large;
  for (onnx::TensorProto& tensor : initializers) {
    const std::string where = fmt::format("initializer '{}'", tensor.name());
    if (tensor.name().empty()) {
      faults->Add("initializers", "an initializer has no name");
      continue;
    }
    if (model.weight_index.count(tensor.name()) > 0) {
      faults->Add(where,
                  "two initializers have this name",
                  "every value must have a unique name: export the model again");
      continue;
    }
    const auto type = TensorTypeOf(tensor);
    const bool small = type.ok() && type.value().bytes() <= kSmallBytes &&
                       tensor.data_location() != onnx::TensorProto::EXTERNAL;
    onnx::TensorProto copy;
    if (small) copy = tensor;
    auto taken = TakeTensor(&tensor, external);
    if (!taken.ok()) {
      faults->Add(std::move(taken).error().in(where));
      // External data can be fixed without the model; any other error means that dims and payload
      // contradict each other.
      if (!type.ok() || tensor.data_location() != onnx::TensorProto::EXTERNAL) {
        faults->values.insert(tensor.name());
        continue;
      }
      taken = Tensor::Absent(type.value());
    }
    model.weight_index.emplace(tensor.name(), model.weights.size());
    model.weights.emplace_back(tensor.name(), std::move(taken).value());
    if (small)
      *graph->add_initializer() = std::move(copy);
    else
      large.push_back(&tensor);
  }
  RemoveWeightInputs(graph, model.weight_index);
  for (const onnx::TensorProto* tensor : large) AddInput(graph, *tensor);
  model.proto = std::move(proto);
  return model;
}

}  // namespace metadist
