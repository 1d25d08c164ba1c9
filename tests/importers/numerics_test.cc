// SPDX-License-Identifier: Apache-2.0
//
// Imported models, run by the reference kernels, give PyTorch's outputs. METADIST_MODELS may name a
// folder with more models; the default is models/ of the repository.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "importers/arrays/npz.h"
#include "importers/importer.h"
#include "metair/ops/interpret.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

namespace fs = std::filesystem;

constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-4;

fs::path ModelsFolder() {
  const char* folder = std::getenv("METADIST_MODELS");
  return folder != nullptr ? fs::path(folder) : fs::path(METADIST_SOURCE_DIR) / "models";
}

std::vector<std::string> ModelFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(ModelsFolder()))
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

// With the model's own batch size, taken from its stored inputs.
Result<Imported> ImportFor(const fs::path& path, const NamedTensors& inputs) {
  auto imported = ImportModel(path.string(), {});
  if (imported.ok() || imported.error().code != ErrorCode::kUsage) return imported;
  return ImportModel(path.string(), {.binds = {{"batch", inputs.begin()->second.dim(0)}}});
}

void ExpectClose(const Tensor& got, const Tensor& expected, const std::string& name) {
  ASSERT_EQ(TypeText(got.type()), TypeText(expected.type())) << name;
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_LE(std::abs(a[i] - b[i]), kAbsolute + kRelative * std::abs(b[i])) << name << " at " << i;
}

void RunAndCompare(const Graph& graph, const NamedTensors& inputs, const NamedTensors& outputs) {
  std::vector<Tensor> arguments;
  for (ValueId id : graph.inputs) {
    ASSERT_EQ(inputs.count(graph.value(id).name), 1u) << graph.value(id).name;
    arguments.push_back(inputs.at(graph.value(id).name));
  }
  const auto results = Interpret(graph, OpTable::BuiltIn(), arguments);
  ASSERT_TRUE(results.ok()) << results.error().text();
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.value(graph.outputs[i]).name;
    ASSERT_EQ(outputs.count(name), 1u) << name;
    ExpectClose(results.value()[i], outputs.at(name), name);
  }
}

class Numerics : public testing::TestWithParam<std::string> {};

TEST_P(Numerics, EqualPyTorch) {
  const fs::path path = ModelsFolder() / GetParam();
  const std::string stem = GetParam().substr(0, GetParam().find('.'));
  const auto inputs = ReadArrays((ModelsFolder() / (stem + ".inputs.npz")).string());
  const auto outputs = ReadArrays((ModelsFolder() / (stem + ".outputs.npz")).string());
  ASSERT_TRUE(inputs.ok()) << inputs.error().text();
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  const auto imported = ImportFor(path, inputs.value());
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  // Models of the repository must not have any.
  if (!imported.value().opaque.empty() && std::getenv("METADIST_MODELS") != nullptr)
    GTEST_SKIP() << "operator without a kernel: " << imported.value().opaque.begin()->first;
  RunAndCompare(imported.value().graph, inputs.value(), outputs.value());
  const auto passed =
      RunPasses(imported.value().graph, {.off = {}, .verify = true}, OpTable::BuiltIn());
  ASSERT_TRUE(passed.ok()) << passed.error().text();
  RunAndCompare(passed.value().graph, inputs.value(), outputs.value());
}

INSTANTIATE_TEST_SUITE_P(Models, Numerics, testing::ValuesIn(ModelFiles()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace metadist
