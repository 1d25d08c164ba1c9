// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/cases.h"

#include <fmt/format.h>
#include <onnx/onnx-data.pb.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "importers/file_map.h"
#include "importers/onnx/model.h"
#include "importers/onnx/tensor.h"

namespace metadist {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FoldersIn(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && at->path().filename().string().starts_with(prefix))
      found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string TextOf(const FileMap& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// Reads a case whose model is in the folder `light` beside the folder of its group; data.json
// contains a URL that names it, and its tolerances.
Result<OnnxCase> ReadLightCase(const std::string& folder) {
  const std::string path = folder + "/data.json";
  const FileMap file = TRY(FileMap::Open(path));
  const auto json = nlohmann::json::parse(TextOf(file), nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* key) { return json.contains(key) && json[key].is_number(); };
  if (!json.is_object() || !json.contains("url") || !json["url"].is_string() || !number("rtol") ||
      !number("atol"))
    return BadInput(path, "expected an object with url, rtol and atol");
  OnnxCase one;
  one.rtol = json["rtol"].get<double>();
  one.atol = json["atol"].get<double>();
  const fs::path url = json["url"].get<std::string>();
  one.model = (fs::path(folder).parent_path().parent_path() / "light" / url.filename()).string();
  return one;
}

// Nothing if the folder has no case.
Result<std::optional<OnnxCase>> ReadCase(const std::string& folder) {
  OnnxCase one;
  if (Exists(folder + "/model.onnx")) {
    one.model = folder + "/model.onnx";
    one.data_sets = FoldersIn(folder, "test_data_set_");
  } else if (Exists(folder + "/data.json")) {
    one = TRY(ReadLightCase(folder));
  } else {
    return std::optional<OnnxCase>();
  }
  return std::optional(std::move(one));
}

template <typename Proto>
Result<Proto> ParseFile(const std::string& path) {
  const FileMap file = TRY(FileMap::Open(path));
  Proto proto;
  if (!proto.ParseFromArray(file.bytes().data(), static_cast<int>(file.bytes().size())))
    return BadInput(path, "the file is damaged: it is not valid protobuf");
  return proto;
}

Result<Tensor> ReadTensorFile(const std::string& path) {
  onnx::TensorProto proto = TRY(ParseFile<onnx::TensorProto>(path));
  ExternalData external(fs::path(path).parent_path().string());
  return TakeTensor(&proto, &external).in(path);
}

// Reads PREFIX0.pb, PREFIX1.pb, ... until one does not exist.
Result<std::vector<Tensor>> ReadTensorFiles(const std::string& prefix) {
  std::vector<Tensor> tensors;
  for (int i = 0; Exists(fmt::format("{}{}.pb", prefix, i)); ++i)
    tensors.push_back(TRY(ReadTensorFile(fmt::format("{}{}.pb", prefix, i))));
  return tensors;
}

Result<void> TakeTensors(onnx::SequenceProto* sequence,
                         ExternalData* external,
                         std::vector<Tensor>* tensors) {
  for (onnx::TensorProto& tensor : *sequence->mutable_tensor_values())
    tensors->push_back(TRY(TakeTensor(&tensor, external)));
  return {};
}

// Reads output_0.pb, output_1.pb, ...; a sequence gives all its tensors.
Result<std::vector<Tensor>> ReadOutputFiles(const std::string& folder,
                                            const onnx::GraphProto& graph) {
  std::vector<Tensor> tensors;
  ExternalData external(folder);
  for (int i = 0; Exists(fmt::format("{}/output_{}.pb", folder, i)); ++i) {
    const std::string path = fmt::format("{}/output_{}.pb", folder, i);
    const onnx::TypeProto type =
        i < graph.output_size() ? graph.output(i).type() : onnx::TypeProto();
    if (type.has_sequence_type()) {
      auto sequence = TRY(ParseFile<onnx::SequenceProto>(path));
      TRY(TakeTensors(&sequence, &external, &tensors));
    } else if (type.has_optional_type()) {
      auto optional = TRY(ParseFile<onnx::OptionalProto>(path));
      if (optional.has_tensor_value())
        tensors.push_back(TRY(TakeTensor(optional.mutable_tensor_value(), &external)));
      TRY(TakeTensors(optional.mutable_sequence_value(), &external, &tensors));
    } else {
      tensors.push_back(TRY(ReadTensorFile(path)));
    }
  }
  return tensors;
}

// Inputs without an initializer.
std::vector<const onnx::ValueInfoProto*> InputsOf(const onnx::GraphProto& graph) {
  std::set<std::string> stored;
  for (const auto& tensor : graph.initializer()) stored.insert(tensor.name());
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const auto& input : graph.input())
    if (stored.count(input.name()) == 0) inputs.push_back(&input);
  return inputs;
}

Result<OnnxDataSet> ReadStored(const std::string& folder, const onnx::GraphProto& graph) {
  OnnxDataSet data;
  const std::vector<Tensor> tensors = TRY(ReadTensorFiles(folder + "/input_"));
  const auto inputs = InputsOf(graph);
  if (tensors.size() > inputs.size())
    return BadInput(folder,
                    fmt::format("the model has {} inputs, got {}", inputs.size(), tensors.size()));
  for (size_t i = 0; i < tensors.size(); ++i) data.inputs[inputs[i]->name()] = tensors[i];
  data.outputs = TRY(ReadOutputFiles(folder, graph));
  return data;
}

// arange(n) / n in f32, where unknown sizes are 1. Source: onnx/backend/test/runner,
// generate_dummy_data.
Tensor Ramp(const onnx::ValueInfoProto& input) {
  Shape shape;
  for (const auto& dim : input.type().tensor_type().shape().dim())
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : 1);
  Tensor tensor = Tensor::Zeros({ElementType::kF32, std::move(shape)});
  const auto count = static_cast<double>(tensor.size());
  auto* data = tensor.mutable_data<float>();
  for (int64_t i = 0; i < tensor.size(); ++i)
    data[i] = static_cast<float>(static_cast<double>(i) / count);
  return tensor;
}

}  // namespace

Result<onnx::ModelProto> ParseModel(const std::string& path) {
  return ParseFile<onnx::ModelProto>(path);
}

Result<std::vector<OnnxCase>> FindOnnxCases(const std::string& folder) {
  if (!Exists(folder)) return Usage(fmt::format("no such folder: {}", folder));
  std::vector<std::string> candidates = {folder};
  for (const std::string& group : FoldersIn(folder, "")) {
    candidates.push_back(group);
    for (const std::string& inner : FoldersIn(group, "")) candidates.push_back(inner);
  }
  std::vector<OnnxCase> cases;
  std::vector<Error> problems;
  for (const std::string& candidate : candidates) {
    auto one = ReadCase(candidate);
    if (!one.ok()) {
      problems.push_back(std::move(one).error());
    } else if (one.value()) {
      cases.push_back(std::move(*one.value()));
      cases.back().name = candidate == folder
                              ? fs::path(folder).filename().string()
                              : fs::path(candidate).lexically_relative(folder).string();
    }
  }
  if (!problems.empty()) return Join(std::move(problems));
  if (cases.empty())
    return Usage(fmt::format("no test case in {}: expected folders with model.onnx and "
                             "test_data_set_0",
                             folder),
                 "give the folder onnx/backend/test/data of the Python package onnx");
  std::sort(cases.begin(), cases.end(), [](const OnnxCase& a, const OnnxCase& b) {
    return a.name < b.name;
  });
  return cases;
}

Result<std::vector<OnnxDataSet>> ReadOnnxData(const OnnxCase& one) {
  const auto model = TRY(ParseModel(one.model));
  std::vector<OnnxDataSet> sets;
  for (const std::string& folder : one.data_sets)
    sets.push_back(TRY(ReadStored(folder, model.graph())));
  if (!sets.empty()) return sets;
  const auto inputs = InputsOf(model.graph());
  sets.emplace_back();
  for (const onnx::ValueInfoProto* input : inputs) sets[0].inputs[input->name()] = Ramp(*input);
  const std::string stem = one.model.substr(0, one.model.rfind('.'));
  sets[0].outputs = TRY(ReadTensorFiles(stem + "_output_"));
  return sets;
}

}  // namespace metadist
