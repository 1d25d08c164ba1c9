// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "importers/importer.h"

// Small ONNX models for tests, written to a separate folder per test.
namespace metadist {

class OnnxTest : public testing::Test {
 protected:
  OnnxTest() {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("onnx_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    model_.set_ir_version(10);
    model_.add_opset_import()->set_version(20);
    model_.mutable_graph()->set_name("g");
  }
  ~OnnxTest() override { std::filesystem::remove_all(folder_); }

  onnx::GraphProto* graph() { return model_.mutable_graph(); }

  // sizes: numbers or names of symbolic sizes.
  static void SetType(onnx::ValueInfoProto* value,
                      const std::string& name,
                      const std::vector<std::string>& sizes) {
    value->set_name(name);
    auto* type = value->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape();
    for (const std::string& size : sizes) {
      auto* dim = type->mutable_shape()->add_dim();
      if (std::isdigit(static_cast<unsigned char>(size[0])) && size.find('*') == size.npos)
        dim->set_dim_value(std::stoll(size));
      else
        dim->set_dim_param(size);
    }
  }
  void Input(const std::string& name, const std::vector<std::string>& sizes) {
    SetType(graph()->add_input(), name, sizes);
  }
  // Of unknown shape.
  void Output(const std::string& name) {
    onnx::ValueInfoProto* output = graph()->add_output();
    SetType(output, name, {});
    output->mutable_type()->mutable_tensor_type()->clear_shape();
  }

  onnx::NodeProto* Node(const std::string& op,
                        const std::vector<std::string>& inputs,
                        const std::string& output) {
    onnx::NodeProto* node = graph()->add_node();
    node->set_op_type(op);
    for (const std::string& input : inputs) node->add_input(input);
    node->add_output(output);
    return node;
  }

  onnx::TensorProto* Weight(const std::string& name, const std::vector<int64_t>& dims) {
    onnx::TensorProto* tensor = graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t dim : dims) tensor->add_dims(dim);
    return tensor;
  }
  // A weight of f32[4] in a separate file.
  void External(const std::string& location, const std::string& offset, const std::string& length) {
    onnx::TensorProto* tensor = Weight("w", {4});
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&](const std::string& key, const std::string& value) {
      if (value.empty()) return;
      auto* entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    Input("x", {"4"});
    Node("Add", {"x", "w"}, "y");
    Output("y");
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }
  Result<Imported> Import(const ImportOptions& options = {}) const {
    Write("m.onnx", model_.SerializeAsString());
    return ImportModel(Path("m.onnx"), options);
  }
  // The text of the error without the folder, or "" if the model was imported.
  std::string ErrorOf(const Result<Imported>& imported) const {
    if (imported.ok()) return "";
    std::string text = imported.error().text();
    const std::string prefix = folder_.string() + "/";
    for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
  std::string ErrorOfImport(const ImportOptions& options = {}) const {
    return ErrorOf(Import(options));
  }

  std::filesystem::path folder_;
  onnx::ModelProto model_;
};

}  // namespace metadist
