// SPDX-License-Identifier: Apache-2.0
//
// Each operator as written in every opset since 7: a model of the old version, imported, gives the
// results of the current operator. The calls are the operators' own examples.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "importers/importer.h"
#include "metair/ir/text.h"
#include "metair/ops/draw.h"
#include "metair/ops/drawing.h"
#include "metair/ops/example_call.h"
#include "metair/ops/interpret.h"
#include "tests/importers/old_spelling.h"

namespace metadist {
namespace {

// True if the older operator has another meaning, so that it cannot be compared.
bool MeansOtherwise(const OpDef& op, const OpExample& example, int opset) {
  const bool softmax = op.name == "Softmax" || op.name == "LogSoftmax" || op.name == "Hardmax";
  if (softmax && opset < 13) {  // over all dims from the axis on
    const auto rank = static_cast<int64_t>(example.inputs[0].type.shape.size());
    const int64_t axis = example.attributes.Int("axis", -1);
    return axis != -1 && axis != rank - 1;
  }
  // Coordinates are not shifted by half an element.
  if (op.name == "RoiAlign" && opset < 16)
    return !example.attributes.has("coordinate_transformation_mode");
  // The mask has the type of the data.
  return op.name == "Dropout" && opset < 10 && example.num_outputs > 1;
}

struct Case {
  const OpDef* op;
  int opset;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.op->name << " at " << one.opset; }

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const OpDef* op : OpTable::BuiltIn().all()) {
    if (!op->domain.empty() || op->examples == nullptr || op->reference == nullptr) continue;
    for (int opset : OpsetsThatDiffer(op->name)) cases.push_back({op, opset});
  }
  return cases;
}

class OldOpset : public testing::TestWithParam<Case> {};

void ExpectClose(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(TypeText(got.type()), TypeText(expected.type()));
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i]) continue;
    ASSERT_LE(std::abs(a[i] - b[i]), 1e-4 + 1e-4 * std::abs(b[i])) << "at " << i;
  }
}

// Writes models for tests/fuzz/make_corpus.py.
void Keep(const OpDef& op, int opset, const onnx::ModelProto& model) {
  const char* folder = std::getenv("METADIST_WRITE_MODELS");
  if (folder == nullptr) return;
  static int number = 0;
  const std::string name = op.name + std::to_string(opset) + "_" + std::to_string(++number);
  std::ofstream(std::filesystem::path(folder) / name, std::ios::binary)
      << model.SerializeAsString();
}

void RunExample(const OpDef& op, const OpExample& example, int opset) {
  const std::vector<Tensor> constants = ConstantsOf(example);
  const OpCall call = CallOf(op, example, constants);
  const std::vector<Tensor> elements = DrawInputs(call, /*seed=*/1).value();
  const OldSpelling old = SpellOld(op, example, elements, opset);
  Keep(op, opset, old.model);
  if (!old.impossible.empty() || MeansOtherwise(op, example, opset)) return;
  const auto expected = Evaluate(call, elements);
  ASSERT_TRUE(expected.ok()) << expected.error().text();

  const std::string path = (std::filesystem::path(testing::TempDir()) /
                            (op.name + "_" + std::to_string(opset) + ".onnx"))
                               .string();
  std::ofstream(path, std::ios::binary) << old.model.SerializeAsString();
  const auto imported = ImportModel(path, {});
  std::filesystem::remove(path);
  ASSERT_TRUE(imported.ok()) << imported.error().text() << "\n" << old.model.ShortDebugString();
  EXPECT_TRUE(imported.value().opaque.empty()) << GraphText(imported.value().graph);
  const auto got = Interpret(imported.value().graph, OpTable::BuiltIn(), old.inputs);
  ASSERT_TRUE(got.ok()) << got.error().text() << "\n" << GraphText(imported.value().graph);
  ASSERT_EQ(got.value().size(), expected.value().size());
  for (size_t i = 0; i < got.value().size(); ++i) ExpectClose(got.value()[i], expected.value()[i]);
}

TEST_P(OldOpset, GivesWhatTheNewOneGives) {
  const auto [op, opset] = GetParam();
  const std::vector<OpExample> examples = op->examples();
  for (size_t i = 0; i < examples.size(); ++i) {
    // ONNX has no random keys.
    if (!op->deterministic && examples[i].inputs.size() > kKeyInput) continue;
    SCOPED_TRACE(op->name + " at opset " + std::to_string(opset) + ", example " +
                 std::to_string(i));
    RunExample(*op, examples[i], opset);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OldOpset, testing::ValuesIn(AllCases()), [](const auto& info) {
  return info.param.op->name + "_" + std::to_string(info.param.opset);
});

}  // namespace
}  // namespace metadist
