// SPDX-License-Identifier: Apache-2.0
// Every kernel against the reference kernel of its operator: the operator's own examples, and
// larger shapes that reach each path. Bounds: |kernel - reference| <= atol + rtol |reference|.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "executor/cpu/kernel.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/op_table.h"

namespace metadist::cpu {
namespace {

struct Bound {
  double atol;
  double rtol;
};

Bound BoundOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return {2e-6, 2e-5};
    case ElementType::kF16:
      return {2e-3, 2e-3};
    case ElementType::kBF16:
      return {2e-2, 1e-2};
    default:
      return {0, 0};
  }
}

void ExpectClose(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(got.type(), expected.type());
  const Bound bound = BoundOf(got.element());
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i]) && std::isnan(a[i])) continue;
    if (a[i] == b[i]) continue;
    ASSERT_LE(std::abs(a[i] - b[i]), bound.atol + bound.rtol * std::abs(b[i]))
        << "element " << i << ": " << a[i] << " against " << b[i];
  }
}

// Runs the prepared kernel of the call. `kernel` gets its name.
std::vector<Tensor> RunKernel(const OpCall& call,
                              const std::vector<Tensor>& inputs,
                              std::string* kernel) {
  const auto types = InferTypes(call);
  EXPECT_TRUE(types.ok()) << types.error().text();
  const Prepared prepared = Prepare({&call, types.value()});
  *kernel = prepared.kernel;
  std::vector<Tensor> outputs;
  std::vector<std::byte*> to;
  for (const TensorType& type : types.value()) outputs.push_back(Tensor::Zeros(type));
  for (Tensor& output : outputs) {
    std::memset(output.mutable_bytes(), 0x5a, static_cast<size_t>(output.type().bytes()));
    to.push_back(output.mutable_bytes());
  }
  std::vector<const std::byte*> from;
  for (const Tensor& input : inputs) from.push_back(input.bytes());
  Tensor scratch = Tensor::Zeros({ElementType::kU8, {prepared.scratch_bytes}});
  const auto ran = prepared.run({from, to, scratch.mutable_bytes()});
  EXPECT_TRUE(ran.ok()) << ran.error().text();
  return outputs;
}

std::string Compare(const OpCall& call, uint64_t seed) {
  const auto inputs = DrawInputs(call, seed);
  EXPECT_TRUE(inputs.ok()) << inputs.error().text();
  const auto expected = Evaluate(call, inputs.value());
  EXPECT_TRUE(expected.ok()) << expected.error().text();
  std::string kernel;
  const std::vector<Tensor> got = RunKernel(call, inputs.value(), &kernel);
  for (size_t i = 0; i < got.size(); ++i) ExpectClose(got[i], expected.value()[i]);
  return kernel;
}

bool HasRunTimeSize(const std::vector<TensorType>& types) {
  for (const TensorType& type : types)
    for (int64_t size : type.shape)
      if (size < 0) return true;
  return false;
}

std::string CompareExample(const OpDef& op, const OpExample& example, uint64_t seed) {
  SCOPED_TRACE(op.name);
  const std::vector<Tensor> constants = ConstantsOf(example);
  const OpCall call = CallOf(op, example, constants);
  const auto types = InferTypes(call);
  if (!types.ok() || HasRunTimeSize(types.value())) return "skipped";
  return Compare(call, seed);
}

std::string CompareNamed(const std::string& name, const OpExample& example) {
  const OpDef* op = OpTable::BuiltIn().Find("", name);
  EXPECT_NE(op, nullptr) << name;
  return CompareExample(*op, example, 7);
}

OpExample::Input F32(Shape shape) { return {{ElementType::kF32, std::move(shape)}}; }
OpExample::Input Ints(std::vector<int64_t> values) {
  return {.type = {ElementType::kI64, {static_cast<int64_t>(values.size())}}, .constant = values};
}

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

TEST(Kernels, MatrixProducts) {
  for (const auto& [a, b] : std::vector<std::pair<Shape, Shape>>{{{37, 65}, {65, 129}},
                                                                 {{1, 64}, {64, 48}},
                                                                 {{64, 1}, {1, 48}},
                                                                 {{2, 3, 17, 8}, {2, 3, 8, 33}},
                                                                 {{2, 1, 5, 8}, {3, 8, 4}},
                                                                 {{4, 9, 8}, {8, 3}},
                                                                 {{8}, {8, 3}},
                                                                 {{5, 8}, {8}},
                                                                 {{1, 9, 8}, {6, 8, 2}}})
    EXPECT_NE(CompareNamed("MatMul", {.inputs = {F32(a), F32(b)}}), "reference");
}

TEST(Kernels, SumsOfProducts) {
  struct Case {
    const char* equation;
    std::vector<Shape> shapes;
    const char* kernel;
  };
  const std::vector<Case> cases = {
      {"ij,jk->ik", {{37, 65}, {65, 129}}, "product"},
      {"ij,jk->ki", {{3, 65}, {65, 129}}, "product"},
      {"bqhd,bkhd->bhqk", {{2, 37, 3, 16}, {2, 41, 3, 16}}, "product"},
      {"bhqk,bkhd->bqhd", {{2, 3, 37, 41}, {2, 41, 3, 16}}, "product"},
      {"ijh,jhd->ihd", {{19, 21, 3}, {21, 3, 8}}, "product"},
      {"gktec,gtk->gtec", {{2, 3, 5, 4, 6}, {2, 5, 3}}, "product"},
      {"gtec,gtm->egcm", {{2, 5, 4, 6}, {2, 5, 33}}, "product"},
      {"gtec,egcm->gtm", {{2, 5, 4, 6}, {4, 2, 6, 33}}, "product"},
      {"egcm,emh->egch", {{4, 2, 6, 33}, {4, 33, 17}}, "product"},
      {"...ij,jk", {{2, 3, 5, 7}, {7, 4}}, "product"},
      {"...ij,...jk->...ik", {{2, 1, 5, 7}, {3, 7, 4}}, "product"},
      {"ij,kj->", {{5, 19}, {4, 19}}, "loops"},
      {"bij,bij->b", {{3, 5, 19}, {3, 5, 19}}, "loops"},
      {"bih,bjh->bijh", {{3, 5, 19}, {3, 4, 19}}, "loops"},
      {"i,j->ij", {{5}, {19}}, "loops"},
      {"ij,kl->jl", {{5, 19}, {4, 3}}, "loops"},
      {"bi,oij,bj->bo", {{3, 5}, {7, 5, 19}, {3, 19}}, "loops"},
      {"ij,jk,kl,lm->im", {{2, 3}, {3, 4}, {4, 5}, {5, 6}}, "loops"},
      {"ijk->ik", {{3, 5, 19}}, "loops"},
      {"ijk->", {{3, 5, 19}}, "loops"},
      {"kij->jik", {{3, 5, 19}}, "copy"},
      {"bii->bi", {{3, 5, 5}}, "copy"},
      {"bii->b", {{3, 5, 5}}, "loops"},
      {"ij,jk->ik", {{3, 0}, {0, 4}}, "loops"},
      {"ij,jk->ik", {{3, 1}, {5, 4}}, "loops"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.equation);
    OpExample example;
    for (const Shape& shape : one.shapes) example.inputs.push_back(F32(shape));
    example.attributes.set("equation", std::string(one.equation));
    std::string kernel = CompareNamed("Einsum", example);
    if (kernel == "onednn" || kernel == "plain") kernel = "product";
    EXPECT_EQ(kernel, one.kernel);
  }
}

// An operand that lies transposed is read where it lies.
TEST(Kernels, SumsOfProductsReadStrides) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Einsum");
  for (const Shape& b : {Shape{4, 5, 17}, Shape{4, 1, 17}}) {
    Attributes turned, straight;
    turned.set("equation", std::string("bij,bkj->bik"));
    straight.set("equation", std::string("bij,bjk->bik"));
    const OpCall whole{
        op, &straight, {{true, {ElementType::kF32, {4, 3, b[1]}}}, {true, {ElementType::kF32, b}}}};
    const OpCall call{
        op, &turned, {whole.inputs[0], {true, {ElementType::kF32, {b[0], 17, b[1]}}}}};
    const std::vector<Tensor> inputs = DrawInputs(whole, 5).value();
    const Tensor expected = Evaluate(whole, inputs).value()[0];
    const std::vector<TensorType> types = InferTypes(call).value();
    KernelSite site{&call, types};
    site.strides = {{}, {b[1] * 17, 1, 17}};
    const Prepared prepared = PrepareStrided(site);
    ASSERT_TRUE(prepared.ok()) << prepared.why;
    Tensor got = Tensor::Zeros(types[0]);
    Tensor scratch = Tensor::Zeros({ElementType::kU8, {prepared.scratch_bytes}});
    const std::byte* from[] = {inputs[0].bytes(), inputs[1].bytes()};
    std::byte* to[] = {got.mutable_bytes()};
    ASSERT_TRUE(prepared.run({from, to, scratch.mutable_bytes()}).ok());
    ExpectClose(got, expected);
  }
}

// Every combination of heads, masks, caps and past vectors; the lengths reach several blocks.
TEST(Kernels, Attention) {
  const OpExample::Input absent{.present = false};
  const auto truth = [](Shape shape) { return OpExample::Input{{ElementType::kBool, shape}}; };
  for (const bool packed : {false, true})
    for (const int64_t shared : {1, 3})
      for (const int64_t past : {0, 1, 6})
        for (const int64_t queries : {1, 5, 150})
          for (int64_t variant = 0; variant < 8; ++variant) {
            const int64_t groups = 2, heads = groups * shared, keys = queries + variant % 3;
            const int64_t total = past + keys;
            const auto vectors = [&](int64_t count, int64_t length, int64_t size) {
              return packed ? F32({2, length, count * size}) : F32({2, count, length, size});
            };
            OpExample example{.inputs = {vectors(heads, queries, 8),
                                         vectors(groups, keys, 8),
                                         vectors(groups, keys, 7)}};
            const std::vector<OpExample::Input> masks = {absent,
                                                         truth({queries, total}),
                                                         F32({2, 1, queries, total}),
                                                         F32({heads, 1, total}),
                                                         truth({2, heads, 1, total}),
                                                         F32({1, 1, queries, total - 1}),
                                                         F32({total})};
            example.inputs.push_back(masks[static_cast<size_t>(variant) % masks.size()]);
            if (past > 0) {
              example.inputs.push_back(F32({2, groups, past, 8}));
              example.inputs.push_back(F32({2, groups, past, 7}));
            }
            example.attributes.set("q_num_heads", heads);
            example.attributes.set("kv_num_heads", groups);
            example.attributes.set("is_causal", variant / 2 % 2);
            if (variant > 4) example.attributes.set("softcap", 1.5);
            if (variant > 5) example.attributes.set("scale", 0.7);
            example.attributes.set("qk_matmul_output_mode", variant % 4);
            example.num_outputs = variant < 2 ? 1 : variant < 4 ? 3 : 4;
            SCOPED_TRACE(testing::Message() << packed << shared << past << queries << variant);
            EXPECT_EQ(CompareNamed("Attention", example), "blocks");
          }
}

TEST(Kernels, GeneralMatrixProducts) {
  if (OpTable::BuiltIn().Find("", "Gemm") == nullptr) GTEST_SKIP() << "no such operator";
  for (int64_t transposed : {0, 1, 2, 3})
    for (double alpha : {1.0, 0.5})
      for (const Shape& c : {Shape{24}, Shape{1, 24}, Shape{7, 1}, Shape{7, 24}, Shape{}}) {
        Attributes attributes;
        attributes.set("transA", transposed & 1);
        attributes.set("transB", transposed >> 1);
        attributes.set("alpha", alpha);
        attributes.set("beta", alpha == 1.0 ? 1.0 : 2.0);
        const Shape a = transposed & 1 ? Shape{16, 7} : Shape{7, 16};
        const Shape b = transposed >> 1 ? Shape{24, 16} : Shape{16, 24};
        EXPECT_NE(
            CompareNamed("Gemm", {.inputs = {F32(a), F32(b), F32(c)}, .attributes = attributes}),
            "reference");
      }
}

// A transposed right-hand side makes oneDNN copy it as a whole, however small the rest is.
TEST(Kernels, ScratchStaysSmall) {
  if (OpTable::BuiltIn().Find("", "Gemm") == nullptr) GTEST_SKIP() << "no such operator";
  for (int64_t m : {1, 8, 20})
    for (int64_t n : {16, 64, 200}) {
      OpExample example{.inputs = {F32({m, 256}), F32({n, 256}), F32({n})}};
      example.attributes.set("transB", int64_t{1});
      EXPECT_NE(CompareNamed("Gemm", example), "reference");
      const OpDef* op = OpTable::BuiltIn().Find("", "Gemm");
      const std::vector<Tensor> constants = ConstantsOf(example);
      const OpCall call = CallOf(*op, example, constants);
      const auto types = InferTypes(call);
      ASSERT_TRUE(types.ok());
      const int64_t operands = (m * 256 + n * 256 + n + m * n) * 4;
      EXPECT_LE(Prepare({&call, types.value()}).scratch_bytes,
                std::max<int64_t>(operands / 64, 1024));
      if (m == 1) continue;
      EXPECT_EQ(Prepare({&call, types.value(), 1 << 20}).kernel, "onednn");
    }
}

struct Window {
  std::vector<int64_t> pads;
  int64_t step = 1;
  int64_t gap = 1;
  int64_t group = 1;
};

std::string CompareConvolution(Shape x, Shape w, const Window& window, bool bias = true) {
  const size_t space = x.size() - 2;
  OpExample example{.inputs = {F32(x), F32(w)}};
  if (bias) example.inputs.push_back(F32({w[0]}));
  example.attributes.set("pads", window.pads);
  example.attributes.set("group", window.group);
  example.attributes.set("strides", std::vector<int64_t>(space, window.step));
  example.attributes.set("dilations", std::vector<int64_t>(space, window.gap));
  return CompareNamed("Conv", example);
}

TEST(Kernels, Convolutions) {
  if (OpTable::BuiltIn().Find("", "Conv") == nullptr) GTEST_SKIP() << "no such operator";
  const auto conv = CompareConvolution;
  EXPECT_EQ(conv({2, 4, 17}, {6, 4, 5}, {{2, 2}, 2}, true), "onednn");
  // One tap: where the image lies, in vectors, and dealt out.
  EXPECT_EQ(conv({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}}, true), "planes");
  EXPECT_EQ(conv({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}}, false), "planes");
  EXPECT_EQ(conv({2, 5, 7, 9}, {3, 5, 1, 1}, {{0, 0, 0, 0}}, true), "planes");
  EXPECT_EQ(conv({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}, 2}, true), "planes");
  // Rows as one line, rows of their own, several panels and several tiles a row.
  for (int64_t width : {3, 8, 9, 16, 23, 32, 70, 300})
    for (int64_t step : {1, 2, 3})
      EXPECT_EQ(conv({2, 3, 11, width}, {9, 3, 3, 3}, {{1, 1, 1, 1}, step}, width % 2 == 0),
                "planes");
  // Several groups of channels, whose results are added up.
  EXPECT_EQ(conv({1, 40, 10, 12}, {4, 40, 3, 3}, {{1, 1, 1, 1}}, true), "planes");
  EXPECT_EQ(conv({1, 40, 8, 8}, {64, 40, 3, 3}, {{1, 1, 1, 1}}, false), "planes");
  // Padding on one side, gaps, groups, a channel each.
  EXPECT_EQ(conv({1, 8, 19, 19}, {16, 4, 3, 3}, {{0, 1, 2, 1}, 1, 2, 2}, true), "planes");
  EXPECT_EQ(conv({1, 8, 19, 19}, {16, 4, 3, 2}, {{0, 1, 2, 1}, 2, 3, 2}, true), "planes");
  EXPECT_EQ(conv({1, 8, 9, 9}, {8, 1, 3, 3}, {{1, 1, 1, 1}, 1, 1, 8}, true), "planes");
  EXPECT_EQ(conv({1, 2, 5, 5}, {2, 2, 5, 5}, {{4, 4, 4, 4}}, true), "planes");
}

TEST(Kernels, Pools) {
  using List = std::vector<int64_t>;
  for (const char* name : {"MaxPool", "AveragePool"})
    for (int64_t ceil_mode : {0, 1})
      for (int64_t step : {1, 2, 3})
        for (const List& pads : {List{0, 0, 0, 0}, List{1, 1, 1, 1}, List{0, 2, 1, 0}}) {
          OpExample example{.inputs = {F32({2, 3, 9, 37})}};
          example.attributes.set("kernel_shape", List{3, 4});
          example.attributes.set("strides", List{step, step});
          example.attributes.set("pads", pads);
          example.attributes.set("ceil_mode", ceil_mode);
          example.attributes.set("count_include_pad", step % 2);
          EXPECT_EQ(CompareNamed(name, example), "rows");
        }
  OpExample line{.inputs = {F32({2, 3, 19})}};
  line.attributes.set("kernel_shape", List{5});
  line.attributes.set("dilations", List{2});
  line.attributes.set("pads", List{2, 1});
  EXPECT_EQ(CompareNamed("MaxPool", line), "rows");
}

// What a one-input kernel makes of numbers at the ends of the range, beside the reference.
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
  for (const char* name :
       {"Abs",       "Ceil",  "IsInf",           "Mish", "Round",   "Selu",        "Shrink",
        "Sign",      "Swish", "ThresholdedRelu", "Elu",  "Floor",   "HardSigmoid", "HardSwish",
        "LeakyRelu", "Log",   "MaxPool",         "Relu", "Sigmoid", "Softplus",    "Tanh",
        "Clip"}) {
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
    ExpectClose(got[0], expected.value()[0]);
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
  const auto i64 = [](Shape shape) { return OpExample::Input{{ElementType::kI64, shape}}; };
  const auto truth = [](Shape shape) { return OpExample::Input{{ElementType::kBool, shape}}; };
  for (const char* name : {"Add", "Mul", "Sub", "LessOrEqual", "Greater"})
    EXPECT_EQ(CompareNamed(name, {.inputs = {i64({4, 1}), i64({4, 6})}}), "loop") << name;
  EXPECT_EQ(CompareNamed("And", {.inputs = {truth({4, 1}), truth({6})}}), "loop");
  EXPECT_EQ(CompareNamed("Where", {.inputs = {truth({4, 1}), i64({4, 6}), i64({6})}}), "loop");
  EXPECT_EQ(CompareNamed("Where", {.inputs = {truth({4, 6}), F32({4, 6}), F32({})}}), "loop");
}

TEST(Kernels, Rows) {
  const auto with_axis = [](OpExample example, int64_t axis) {
    example.attributes.set("axis", axis);
    return example;
  };
  for (int64_t columns : {1, 5, 16, 100, 257})
    EXPECT_EQ(CompareNamed("Softmax", with_axis({.inputs = {F32({3, columns})}}, -1)), "rows");
  for (int64_t columns : {1, 5, 33})
    for (int64_t inner : {2, 8, 64, 65, 200})
      EXPECT_EQ(CompareNamed("Softmax", with_axis({.inputs = {F32({3, columns, inner})}}, 1)),
                "columns");
}

TEST(Kernels, Normalisation) {
  if (OpTable::BuiltIn().Find("", "LayerNormalization") == nullptr)
    GTEST_SKIP() << "no such operator";
  for (int64_t columns : {1, 5, 64, 257})
    EXPECT_EQ(CompareNamed("LayerNormalization",
                           {.inputs = {F32({3, 7, columns}), F32({columns}), F32({columns})}}),
              "rows");
}

TEST(Kernels, Reductions) {
  if (OpTable::BuiltIn().Find("", "ReduceMean") == nullptr) GTEST_SKIP() << "no such operator";
  for (const auto& axes : std::vector<std::vector<int64_t>>{{2}, {-1}, {1}, {0}, {1, 2}, {0, 1}})
    EXPECT_NE(CompareNamed("ReduceMean", {.inputs = {F32({5, 37, 19}), Ints(axes)}}), "reference");
  EXPECT_EQ(CompareNamed("ReduceMean", {.inputs = {F32({5, 3, 4}), Ints({0, 2})}}), "reference");
}

TEST(Kernels, Movement) {
  Attributes order;
  order.set("perm", std::vector<int64_t>{0, 2, 1, 3});
  EXPECT_EQ(CompareNamed("Transpose", {.inputs = {F32({2, 3, 4, 5})}, .attributes = order}),
            "copy");
  order.set("perm", std::vector<int64_t>{3, 0, 2, 1});
  EXPECT_EQ(CompareNamed("Transpose", {.inputs = {F32({2, 3, 4, 5})}, .attributes = order}),
            "copy");
  EXPECT_EQ(
      CompareNamed(
          "Slice",
          {.inputs = {F32({9, 10}), Ints({-2, 1}), Ints({-100, 9}), Ints({0, 1}), Ints({-2, 3})}}),
      "copy");
  EXPECT_EQ(CompareNamed("Expand", {.inputs = {F32({3, 1}), Ints({2, 1, 6})}}), "copy");
  Attributes last;
  last.set("axis", int64_t{-1});
  EXPECT_EQ(CompareNamed("Concat",
                         {.inputs = {F32({4, 3}), F32({4, 0}), F32({4, 7})}, .attributes = last}),
            "copy");
}

TEST(Kernels, MappedMovement) {
  using List = std::vector<int64_t>;
  const auto i64 = [](Shape shape) { return OpExample::Input{{ElementType::kI64, shape}}; };
  const auto truth = [](Shape shape) { return OpExample::Input{{ElementType::kBool, shape}}; };
  for (const char* mode : {"constant", "edge", "reflect", "wrap"})
    for (const List& pads : {List{0, 0, 2, 1, 0, 1, 2, 3},
                             List{1, 2, 0, 0, 1, 0, 0, 0},
                             List{0, 0, 0, 3, 0, 0, 0, -2},
                             List{0, -1, 1, 0, 1, 0, -2, 0},
                             List(8, 0)})
      for (const auto& x : {F32({2, 3, 6, 9}), i64({2, 3, 6, 9}), truth({2, 3, 6, 9})}) {
        OpExample example{.inputs = {x, Ints(pads)}};
        example.attributes.set("mode", std::string(mode));
        EXPECT_EQ(CompareNamed("Pad", example), "copy");
        example.inputs.push_back({{x.type.element, {}}});
        EXPECT_EQ(CompareNamed("Pad", example), "copy");
      }
  for (const List& repeats : {List{1, 1, 1}, List{3, 1, 1}, List{1, 2, 1}, List{2, 1, 3}})
    for (const auto& x : {F32({2, 5, 7}), truth({2, 5, 7}), F32({2, 1, 1})})
      EXPECT_EQ(CompareNamed("Tile", {.inputs = {x, Ints(repeats)}}), "copy");
}

TEST(Kernels, BestElements) {
  const auto i64 = [](Shape shape) { return OpExample::Input{{ElementType::kI64, shape}}; };
  for (const int64_t axis : {0, 1, 2})
    for (const int64_t largest : {0, 1})
      for (const int64_t k : {1, 2, 5, 13})
        for (const auto& x : {F32({13, 14, 15}), i64({13, 14, 15})}) {
          OpExample example{.inputs = {x, Ints({k})}, .num_outputs = 2};
          example.attributes.set("axis", axis);
          example.attributes.set("largest", largest);
          EXPECT_EQ(CompareNamed("TopK", example), "heap");
        }
}

TEST(Kernels, RunningSums) {
  const auto i64 = [](Shape shape) { return OpExample::Input{{ElementType::kI64, shape}}; };
  for (const int64_t axis : {0, 1, 2})
    for (const int64_t exclusive : {0, 1})
      for (const int64_t reverse : {0, 1})
        for (const auto& x : {F32({5, 14, 6}), i64({5, 14, 6}), F32({1, 1, 1})}) {
          OpExample example{.inputs = {x, Ints({axis})}};
          example.attributes.set("exclusive", exclusive);
          example.attributes.set("reverse", reverse);
          EXPECT_EQ(CompareNamed("CumSum", example), "rows");
        }
}

TEST(Kernels, ManyOperands) {
  const auto i64 = [](Shape shape) { return OpExample::Input{{ElementType::kI64, shape}}; };
  for (const char* name : {"Max", "Min", "Sum", "Mean"})
    for (const Shape& last : {Shape{5, 33}, Shape{2, 1, 33}, Shape{}})
      EXPECT_EQ(CompareNamed(name, {.inputs = {F32({33}), F32({5, 1}), F32(last), F32({1, 33})}}),
                "loops");
  EXPECT_EQ(CompareNamed("Sum", {.inputs = {i64({5, 1}), i64({6}), i64({5, 6})}}), "loops");
  EXPECT_EQ(CompareNamed("Sum", {.inputs = {F32({5, 6})}}), "copy");
}

TEST(Kernels, CastsBetweenElementTypes) {
  const std::vector<ElementType> types = {ElementType::kF16,
                                          ElementType::kBF16,
                                          ElementType::kF32,
                                          ElementType::kF64,
                                          ElementType::kI8,
                                          ElementType::kU8,
                                          ElementType::kI32,
                                          ElementType::kI64,
                                          ElementType::kBool};
  for (const ElementType from : types)
    for (const ElementType to : types) {
      SCOPED_TRACE(testing::Message() << Name(from) << " to " << Name(to));
      OpExample example{.inputs = {{{from, {700}}}}};
      example.attributes.set("to", OnnxNumberOf(to));
      EXPECT_EQ(CompareNamed("Cast", example), "loop");
    }
}

TEST(Kernels, AnIndexOutOfRangeIsAnError) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Gather");
  const Attributes none;
  OpCall call{op, &none, {{true, {ElementType::kF32, {4, 2}}}, {true, {ElementType::kI64, {1}}}}};
  const auto types = InferTypes(call);
  const Prepared prepared = Prepare({&call, types.value()});
  const Tensor data = Tensor::Zeros(call.type(0));
  const Tensor index = Tensor::Of<int64_t>({1}, {4});
  Tensor out = Tensor::Zeros(types.value()[0]);
  const std::byte* from[] = {data.bytes(), index.bytes()};
  std::byte* to[] = {out.mutable_bytes()};
  const auto ran = prepared.run({from, to, nullptr});
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message, "index must be in [-4, 3], got 4");
}

}  // namespace
}  // namespace metadist::cpu
