// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "importers/onnx/model.h"
#include "metair/ir/suggest.h"
#include "metair/ops/onnx_types.h"

namespace metadist {

Result<void> StoreInputs(onnx::GraphProto* graph, const NamedTensors& constants) {
  std::map<std::string, const onnx::ValueInfoProto*> inputs;
  std::vector<std::string> names;
  for (const auto& input : graph->input()) {
    inputs[input.name()] = &input;
    names.push_back(input.name());
  }
  std::vector<Error> problems;
  for (const auto& [name, tensor] : constants) {
    const auto input = inputs.find(name);
    const int64_t number = OnnxNumberOf(tensor.element());
    if (input == inputs.end()) {
      problems.push_back(
          Usage(fmt::format("the model has no input '{}'", name), DidYouMean(name, names)));
      continue;
    }
    if (input->second->type().tensor_type().elem_type() != number) {
      problems.push_back(BadInput(fmt::format("input '{}'", name),
                                  fmt::format("it cannot be {}", TypeText(tensor.type()))));
      continue;
    }
    onnx::TensorProto* stored = graph->add_initializer();
    stored->set_name(name);
    stored->set_data_type(static_cast<int>(number));
    for (int64_t size : tensor.shape()) stored->add_dims(size);
    stored->set_raw_data(tensor.bytes(), static_cast<size_t>(tensor.type().bytes()));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace metadist
