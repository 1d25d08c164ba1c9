// SPDX-License-Identifier: Apache-2.0
// Every kernel compared with the reference kernel of its operator: on the operator's own examples,
// and for element-wise functions on extreme numbers and all shapes.
#include <algorithm>
#include <limits>
#include <set>

#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

TEST(Kernels, EqualTheReferenceOnEveryExample) {
  for (const OpDef* op : OpTable::BuiltIn().all())
    for (const OpExample& example : op->examples())
      for (uint64_t seed : {1, 2}) CompareExample(*op, example, seed);
}

TEST(Kernels, EqualTheReferenceInHalfPrecision) {
  for (const OpDef* op : OpTable::BuiltIn().all())
    for (OpExample example : op->examples())
      for (ElementType half : {ElementType::kF16, ElementType::kBF16}) {
        for (OpExample::Input& input : example.inputs)
          if (ClassOf(input.type.element) == ElementClass::kFloat) input.type.element = half;
        CompareExample(*op, example, 3);
      }
}

// A row whose operator exists accepts at least one of the operator's examples.
TEST(Kernels, EveryRowOfTheTableIsUsed) {
  std::set<std::string> idle;
  for (const KernelRow& row : KernelTable()) {
    const OpDef* op = OpTable::BuiltIn().Find("", row.op);
    if (op == nullptr) continue;
    bool used = false;
    for (const OpExample& example : op->examples())
      used = used || CompareExample(*op, example, 1) != "reference";
    if (!used) idle.insert(row.op);
  }
  EXPECT_EQ(idle, std::set<std::string>{});
}

// Kernels with one input on numbers at the limits of the range, compared with the reference.
TEST(Kernels, EndsOfTheRange) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> numbers = {nan,
                                      -inf,
                                      inf,
                                      0.0f,
                                      -0.0f,
                                      -1e-30f,
                                      1e-3f,
                                      -1e-3f,
                                      0.2f,
                                      -0.2f,
                                      1.0f,
                                      -1.0f,
                                      5.0f,
                                      -5.0f,
                                      88.0f,
                                      -100.0f,
                                      1e30f,
                                      -1e30f};
  const Tensor x = Tensor::Of<float>({1, 1, static_cast<int64_t>(numbers.size())}, numbers);
  // These are defined by comparisons only: NaN is outside the range that they let through.
  const std::set<std::string> drop_nan = {"IsInf", "Shrink", "ThresholdedRelu"};
  for (const char* name :
       {"Abs",       "Ceil",  "IsInf",           "Mish", "Round",   "Selu",        "Shrink",
        "Sign",      "Swish", "ThresholdedRelu", "Elu",  "Floor",   "HardSigmoid", "HardSwish",
        "LeakyRelu", "Log",   "MaxPool",         "Relu", "Sigmoid", "Softplus",    "Tanh",
        "Clip",      "Celu"}) {
    SCOPED_TRACE(name);
    const OpDef* op = OpTable::BuiltIn().Find("", name);
    ASSERT_NE(op, nullptr);
    Attributes attributes;
    if (op->name == "MaxPool") attributes.set("kernel_shape", std::vector<int64_t>{3});
    OpCall call{op, &attributes, {{true, x.type()}}};
    const auto expected = Evaluate(call, std::vector<Tensor>{x});
    ASSERT_TRUE(expected.ok()) << expected.error().text();
    std::string kernel;
    const std::vector<Tensor> got = RunKernel(call, {x}, &kernel);
    EXPECT_NE(kernel, "reference");
    const std::vector<double> a = got[0].ToDoubles();
    const std::vector<double> b = expected.value()[0].ToDoubles();
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(std::isnan(a[i]), std::isnan(b[i])) << i;
    EXPECT_EQ(std::isnan(b[0]), drop_nan.count(name) == 0);
    ExpectClose(got[0], expected.value()[0]);
  }
}

// One NaN anywhere in the first input of every example: NaN is an extreme, for each kernel.
TEST(Kernels, ExtremesFindNaN) {
  for (const char* name : {"ReduceMax", "ReduceMin", "ArgMax", "ArgMin", "TopK", "GlobalMaxPool"})
    for (const OpExample& example : OpTable::BuiltIn().Find("", name)->examples()) {
      SCOPED_TRACE(name);
      const std::vector<Tensor> constants = ConstantsOf(example);
      const OpCall call = CallOf(*OpTable::BuiltIn().Find("", name), example, constants);
      if (call.type(0).element != ElementType::kF32) continue;
      std::vector<Tensor> inputs = DrawInputs(call, 7).value();
      const Tensor drawn = inputs[0];
      for (int64_t at = 0; at < drawn.size(); ++at) {
        std::vector<float> numbers(drawn.data<float>(), drawn.data<float>() + drawn.size());
        numbers[static_cast<size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
        inputs[0] = Tensor::Of<float>(drawn.shape(), numbers);
        std::string kernel;
        const std::vector<Tensor> got = RunKernel(call, inputs, &kernel);
        const auto expected = Evaluate(call, inputs);
        for (size_t i = 0; i < got.size(); ++i) ExpectClose(got[i], expected.value()[i]);
      }
    }
}

// The same over all axes of larger arrays. The results that the NaN belongs to are NaN.
TEST(Kernels, ReductionsKeepNaN) {
  const Shape shape = {5, 67, 3};
  for (const char* name : {"ReduceMax", "ReduceMin"})
    for (const std::vector<int64_t>& axes :
         std::vector<std::vector<int64_t>>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
      SCOPED_TRACE(std::string(name) + ShapeText(axes));
      const OpDef* op = OpTable::BuiltIn().Find("", name);
      ASSERT_NE(op, nullptr);
      Attributes attributes;
      const Tensor over = Tensor::Of<int64_t>({static_cast<int64_t>(axes.size())}, axes);
      const OpCall call{
          op, &attributes, {{true, {ElementType::kF32, shape}}, {true, over.type(), &over}}};
      const auto inputs = DrawInputs(call, 7);
      ASSERT_TRUE(inputs.ok()) << inputs.error().text();
      const Tensor& values = inputs.value()[0];
      for (int64_t at = 0; at < NumElements(shape); at += 4) {
        std::vector<float> numbers(values.data<float>(), values.data<float>() + values.size());
        numbers[static_cast<size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
        const Tensor x = Tensor::Of<float>(shape, numbers);
        const auto expected = Evaluate(call, std::vector<Tensor>{x, over});
        ASSERT_TRUE(expected.ok()) << expected.error().text();
        std::string kernel;
        const std::vector<double> y = RunKernel(call, {x, over}, &kernel)[0].ToDoubles();
        EXPECT_NE(kernel, "reference");
        const std::vector<double> wanted = expected.value()[0].ToDoubles();
        EXPECT_EQ(std::ranges::count_if(wanted, [](double v) { return std::isnan(v); }), 1);
        for (size_t i = 0; i < y.size(); ++i)
          ASSERT_TRUE(y[i] == wanted[i] || (std::isnan(y[i]) && std::isnan(wanted[i]))) << at;
      }
    }
}

TEST(Kernels, BroadcastingShapes) {
  for (const auto& [a, b] : std::vector<std::pair<Shape, Shape>>{{{5, 33}, {5, 33}},
                                                                 {{5, 33}, {33}},
                                                                 {{5, 33}, {}},
                                                                 {{}, {5, 33}},
                                                                 {{5, 33}, {5, 1}},
                                                                 {{5, 1}, {1, 33}},
                                                                 {{2, 3, 4, 5}, {3, 1, 1}},
                                                                 {{2, 1, 4, 1}, {2, 3, 1, 5}},
                                                                 {{0, 4}, {4}}})
    for (const char* name : {"Add", "Sub", "Mul", "Div", "Max", "Less", "Equal"})
      EXPECT_EQ(CompareNamed(name, {.inputs = {F32(a), F32(b)}}), "loop") << name;
}

TEST(Kernels, IntegersAndTruthValues) {
  for (const char* name : {"Add", "Mul", "Sub", "LessOrEqual", "Greater"})
    EXPECT_EQ(CompareNamed(name, {.inputs = {I64({4, 1}), I64({4, 6})}}), "loop") << name;
  EXPECT_EQ(CompareNamed("And", {.inputs = {Truth({4, 1}), Truth({6})}}), "loop");
  EXPECT_EQ(CompareNamed("Where", {.inputs = {Truth({4, 1}), I64({4, 6}), I64({6})}}), "loop");
  EXPECT_EQ(CompareNamed("Where", {.inputs = {Truth({4, 6}), F32({4, 6}), F32({})}}), "loop");
}

TEST(Kernels, ManyOperands) {
  for (const char* name : {"Max", "Min", "Sum", "Mean"})
    for (const Shape& last : {Shape{5, 33}, Shape{2, 1, 33}, Shape{}})
      EXPECT_EQ(CompareNamed(name, {.inputs = {F32({33}), F32({5, 1}), F32(last), F32({1, 33})}}),
                "loops");
  EXPECT_EQ(CompareNamed("Sum", {.inputs = {I64({5, 1}), I64({6}), I64({5, 6})}}), "loops");
  EXPECT_EQ(CompareNamed("Sum", {.inputs = {F32({5, 6})}}), "copy");
}

}  // namespace
}  // namespace metadist::cpu
