// SPDX-License-Identifier: Apache-2.0
// Properties of every operator of the table, checked on its own examples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "metair/ops/broadcast.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/op_table.h"

namespace metadist {
namespace {

class OpSuite : public testing::TestWithParam<const OpDef*> {
 protected:
  // Runs check(call, inputs) on every example, with the example's number in the trace.
  template <typename Check>
  void ForEachExample(Check&& check) {
    const OpDef& op = *GetParam();
    const std::vector<OpExample> examples = op.examples();
    for (size_t i = 0; i < examples.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}, example {}", op.name, i));
      const std::vector<Tensor> constants = ConstantsOf(examples[i]);
      const OpCall call = CallOf(op, examples[i], constants);
      auto inputs = DrawInputs(call, i);
      ASSERT_TRUE(inputs.ok()) << inputs.error().text();
      check(call, inputs.value());
    }
  }
};

TEST_P(OpSuite, IsDescribed) {
  const OpDef& op = *GetParam();
  EXPECT_GE(op.since_version, 1);
  ASSERT_NE(op.infer, nullptr);
  ASSERT_NE(op.reference, nullptr);
  if (op.body_inputs != nullptr) return;  // see control_flow_test.cc: examples have no bodies
  ASSERT_NE(op.examples, nullptr);
  EXPECT_GE(op.examples().size(), 2u);
  EXPECT_LE(op.examples().size(), 8u);
}

TEST_P(OpSuite, DomainsAreOnePerInput) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>&) {
    if (call.op->domain_of == nullptr) return;
    EXPECT_LE(call.op->domain_of(call).size(), call.inputs.size());
  });
}

TEST_P(OpSuite, ExecutedTypesAreTheInferredOnes) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>& inputs) {
    const auto types = InferTypes(call);
    ASSERT_TRUE(types.ok()) << types.error().text();
    const auto outputs = Evaluate(call, inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.error().text();
    ASSERT_EQ(outputs.value().size(), types.value().size());
    for (size_t i = 0; i < outputs.value().size(); ++i) {
      EXPECT_EQ(TypeText(outputs.value()[i].type()), TypeText(types.value()[i]));
      EXPECT_TRUE(outputs.value()[i].has_data());
    }
  });
}

// Whether other elements of one input change no element of the output but those in their position,
// under broadcasting.
bool StaysInPosition(const OpCall& call, const std::vector<Tensor>& inputs) {
  const Tensor before = Evaluate(call, inputs).value()[0];
  const std::vector<Tensor> others = DrawInputs(call, /*seed=*/1000).value();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.has(i) || call.inputs[i].constant != nullptr) continue;
    const auto position = BroadcastStrides(inputs[i].shape(), before.shape());
    const size_t bytes = static_cast<size_t>(ByteSize(inputs[i].element()));
    for (int64_t e = 0; e < inputs[i].size(); ++e) {
      std::vector<Tensor> changed = inputs;
      changed[i] = inputs[i].Clone();
      std::memcpy(changed[i].mutable_bytes() + e * bytes, others[i].bytes() + e * bytes, bytes);
      const Tensor after = Evaluate(call, changed).value()[0];
      bool stays = true;
      const size_t out = static_cast<size_t>(ByteSize(after.element()));
      ForEachIndex(before.shape(), {position}, [&](int64_t at, const auto& from) {
        const bool same =
            std::memcmp(before.bytes() + at * out, after.bytes() + at * out, out) == 0;
        stays = stays && (same || from[0] == e);
      });
      if (!stays) return false;
    }
  }
  return true;
}

TEST_P(OpSuite, ElementwiseIsWhatStaysInPosition) {
  const OpDef& op = *GetParam();
  if (op.view || op.only_types || !op.deterministic || op.body_inputs != nullptr) return;
  bool elementwise = true;
  ForEachExample([&](const OpCall& call, const std::vector<Tensor>& inputs) {
    const auto types = InferTypes(call).value();
    Shape shape;
    bool broadcasts = types.size() == 1;
    for (size_t i = 0; i < inputs.size() && broadcasts; ++i) {
      if (!call.has(i)) continue;
      auto both = Broadcast(shape, inputs[i].shape());
      broadcasts = both.ok();
      if (broadcasts) shape = std::move(both).value();
    }
    elementwise =
        elementwise && broadcasts && shape == types[0].shape && StaysInPosition(call, inputs);
  });
  EXPECT_EQ(op.elementwise, elementwise);
}

TEST_P(OpSuite, SameInputsGiveSameBytes) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>& inputs) {
    const auto first = Evaluate(call, inputs);
    const auto second = Evaluate(call, inputs);
    ASSERT_TRUE(first.ok() && second.ok());
    for (size_t i = 0; i < first.value().size(); ++i)
      EXPECT_TRUE(Identical(first.value()[i], second.value()[i]));
  });
}

TEST_P(OpSuite, EveryElementTypeOfItsClassWorks) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>&) {
    for (ElementType element : {ElementType::kF64, ElementType::kF16, ElementType::kBF16}) {
      OpCall narrow = call;
      for (OpCall::Input& input : narrow.inputs)
        if (input.constant == nullptr && input.type.element == ElementType::kF32)
          input.type.element = element;
      const auto inputs = DrawInputs(narrow, 1);
      ASSERT_TRUE(inputs.ok());
      const auto outputs = Evaluate(narrow, inputs.value());
      ASSERT_TRUE(outputs.ok()) << outputs.error().text();
    }
  });
}

TEST_P(OpSuite, WorkIsNotNegative) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>&) {
    const std::vector<TensorType> types = InferTypes(call).value();
    const Work work = WorkOf(call, types);
    EXPECT_GE(work.flops, 0);
    EXPECT_GE(work.bytes, 0);
    EXPECT_EQ(work.batch == 0, work.m == 0);
    if (work.batch > 0) {
      EXPECT_GE(work.flops, 2 * work.batch * work.m * work.n * work.k);
    }
    if (call.op->view) {
      EXPECT_EQ(work.bytes, 0);
    }
  });
}

TEST_P(OpSuite, ViewsKeepTheBytes) {
  if (!GetParam()->view) return;
  ForEachExample([](const OpCall& call, const std::vector<Tensor>& inputs) {
    const auto outputs = Evaluate(call, inputs);
    ASSERT_TRUE(outputs.ok());
    EXPECT_TRUE(Identical(outputs.value()[0].Reshaped(inputs[0].shape()), inputs[0]));
  });
}

// Missing inputs and wrong types are errors, never a crash.
TEST_P(OpSuite, DamagedCallsAreErrors) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>&) {
    OpCall damaged = call;
    damaged.num_outputs = 99;
    EXPECT_FALSE(InferTypes(damaged).ok());
    damaged = call;
    damaged.inputs.resize(99);
    EXPECT_FALSE(InferTypes(damaged).ok());
    if (call.inputs.empty()) return;
    if (call.has(0)) {  // otherwise all inputs are optional
      damaged = call;
      damaged.inputs.clear();
      EXPECT_FALSE(InferTypes(damaged).ok());
      damaged = call;
      damaged.inputs[0].present = false;
      EXPECT_FALSE(InferTypes(damaged).ok());
    }
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      if (!call.has(i)) continue;
      damaged = call;
      damaged.inputs[i].type.shape.push_back(kRunTimeSize);
      EXPECT_FALSE(InferTypes(damaged).ok());
      damaged = call;
      damaged.inputs[i].constant = nullptr;
      (void)InferTypes(damaged);
      for (int e = 0; e < kNumElementTypes; ++e) {
        damaged = call;
        damaged.inputs[i].type.element = static_cast<ElementType>(e);
        (void)InferTypes(damaged);
      }
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{7, 1}, Shape{2, 0, 3, 1, 1, 5}}) {
        damaged = call;
        damaged.inputs[i].type.shape = shape;
        if (call.inputs[i].constant == nullptr) (void)InferTypes(damaged);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Table,
                         OpSuite,
                         testing::ValuesIn(OpTable::BuiltIn().all()),
                         [](const auto& info) { return info.param->name; });

// One file per operator, one line per file.
TEST(OpTable, LinesAreSortedAndHaveTheirFile) {
  const std::filesystem::path folder =
      std::filesystem::path(METADIST_SOURCE_DIR) / "metair" / "ops";
  std::ifstream table(folder / "ops.def");
  std::vector<std::string> names;
  for (std::string line; std::getline(table, line);)
    if (line.starts_with("OP(")) names.push_back(line.substr(3, line.size() - 4));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(names.size(), OpTable::BuiltIn().all().size());
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cc") continue;
    std::ifstream in(entry.path());
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const size_t at = text.find("\nOpDef Make");
    if (at == std::string::npos) continue;
    ++files;
    const std::string name = text.substr(at + 11, text.find('(', at) - at - 11);
    const auto ops = OpTable::BuiltIn().all();
    EXPECT_TRUE(std::any_of(ops.begin(), ops.end(), [&](const OpDef* op) {
      return op->name == name;
    })) << entry.path();
    std::string flat;
    for (char c : name) flat += static_cast<char>(std::tolower(c));
    std::string stem = entry.path().stem();
    std::erase(stem, '_');
    EXPECT_EQ(stem, flat);
  }
  EXPECT_EQ(files, names.size());
}

TEST(OpTable, FindsByDomainAndName) {
  EXPECT_NE(OpTable::BuiltIn().Find("", "MatMul"), nullptr);
  EXPECT_EQ(OpTable::BuiltIn().Find("", "matmul"), nullptr);
  EXPECT_EQ(OpTable::BuiltIn().Find("com.example", "MatMul"), nullptr);
}

TEST(OpTable, AddedOperatorReplacesOneOfItsName) {
  OpTable table = OpTable::BuiltIn();
  OpDef op = *table.Find("", "Neg");
  op.since_version = 99;
  table.Add(op);
  EXPECT_EQ(table.Find("", "Neg")->since_version, 99);
  EXPECT_EQ(table.all().size(), OpTable::BuiltIn().all().size());
}

}  // namespace
}  // namespace metadist
