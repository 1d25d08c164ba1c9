// SPDX-License-Identifier: Apache-2.0
// Errors of operators for invalid calls and values.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "metair/ops/example_call.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/op_table.h"

namespace metadist {
namespace {

using example::F32;
using example::I64;
using example::Int;
using example::Ints;

// An operator of ONNX or of domain "metadist".
const OpDef& OpNamed(const std::string& name) {
  const OpDef* op = OpTable::BuiltIn().Find("", name);
  return op != nullptr ? *op : *OpTable::BuiltIn().Find("metadist", name);
}

// The error of inferring the call, "" if there is none.
std::string InferError(const std::string& op, const OpExample& example) {
  const std::vector<Tensor> constants = ConstantsOf(example);
  const auto types = InferTypes(CallOf(OpNamed(op), example, constants));
  return types.ok() ? "" : types.error().text();
}

// The error of running it on the given tensors, "" if there is none.
std::string RunError(const std::string& op, const std::vector<Tensor>& inputs) {
  OpExample example;
  for (const Tensor& input : inputs) example.inputs.push_back({.type = input.type()});
  const std::vector<Tensor> constants = ConstantsOf(example);
  const auto outputs = Evaluate(CallOf(OpNamed(op), example, constants), inputs);
  return outputs.ok() ? "" : outputs.error().text();
}

TEST(OpError, EveryProblemIsReported) {
  EXPECT_EQ(InferError("Add", {.inputs = {example::Bool({2})}}),
            "Add: expected 2 inputs, got 1\nAdd: input 0 must hold floats or integers, got bool");
}

TEST(OpError, Types) {
  EXPECT_EQ(InferError("MatMul", {.inputs = {F32({2, 3}), I64({3, 2})}}),
            "MatMul: inputs 0 and 1 must have one element type, got f32 and i64");
  EXPECT_EQ(InferError("Cast", {.inputs = {F32({2})}, .attributes = {{"to", 8}}}),
            "Cast: unknown element type 8");
}

TEST(OpError, Outputs) {
  EXPECT_EQ(InferError("Neg", {.inputs = {F32({2})}, .num_outputs = 2}),
            "Neg: expected 1 outputs, got 2");
}

TEST(OpError, Shapes) {
  EXPECT_EQ(InferError("Add", {.inputs = {F32({2, 3}), F32({2})}}),
            "Add: shapes [2,3] and [2] do not broadcast");
  EXPECT_EQ(InferError("MatMul", {.inputs = {F32({2, 3}), F32({4, 2})}}),
            "MatMul: inner sizes of [2,3] and [4,2] differ");
  EXPECT_EQ(InferError("Gemm", {.inputs = {F32({2, 3}), F32({4, 2})}}),
            "Gemm: inner sizes must be equal, got [2,3] and [4,2]");
  EXPECT_EQ(InferError("Conv", {.inputs = {F32({1, 3, 2, 2}), F32({4, 3, 3, 3})}}),
            "Conv: a window of 3 does not fit the padded size 2");
  EXPECT_EQ(InferError("Reshape", {.inputs = {F32({2, 3}), Ints({4, -1})}}),
            "Reshape: [2,3] has 6 elements, which do not fill [4,?]");
}

TEST(OpError, Heads) {
  EXPECT_EQ(InferError("Attention",
                       {.inputs = {F32({2, 3, 4, 8}), F32({2, 2, 5, 8}), F32({2, 2, 5, 8})}}),
            "Attention: 3 query heads do not share 2 key heads evenly");
  EXPECT_EQ(InferError("Attention",
                       {.inputs = {F32({2, 3, 12}), F32({2, 5, 8}), F32({2, 5, 8})},
                        .attributes = {{"q_num_heads", 3}}}),
            "Attention: kv_num_heads must be at least 1, got 0");
  EXPECT_EQ(InferError(
                "Attention",
                {.inputs = {F32({2, 2, 3, 8}), F32({2, 2, 5, 8}), F32({2, 2, 5, 8}), F32({3, 6})}}),
            "Attention: the mask must broadcast to [2,2,3,5], got [3,6]");
  EXPECT_EQ(InferError("RotaryEmbedding",
                       {.inputs = {F32({2, 2, 3, 8}), F32({7, 3}), F32({7, 4}), I64({2, 3})}}),
            "RotaryEmbedding: input 1 must be [7,4], got [7,3]");
}

TEST(OpError, Recurrence) {
  EXPECT_EQ(InferError("LSTM", {.inputs = {F32({3, 2, 4}), F32({1, 20, 4}), F32({1, 15, 5})}}),
            "LSTM: input 2 must be [1,20,5], got [1,15,5]");
  Attributes attributes;
  attributes.set("activations", std::vector<std::string>{"Sin"});
  EXPECT_EQ(InferError("RNN",
                       {.inputs = {F32({3, 2, 4}), F32({1, 5, 4}), F32({1, 5, 5})},
                        .attributes = attributes}),
            "RNN: unknown activation 'Sin'");
}

TEST(OpError, Resampling) {
  EXPECT_EQ(InferError("Resize", {.inputs = {F32({2, 3})}}),
            "Resize: either scales or sizes must be given");
  EXPECT_EQ(InferError("Resize",
                       {.inputs = {F32({2, 3}), example::Absent(), example::Absent(), Ints({4})}}),
            "Resize: 2 axes need as many sizes, got 1");
  EXPECT_EQ(InferError("GridSample", {.inputs = {F32({2, 3, 4, 5}), F32({2, 6, 7, 3})}}),
            "GridSample: the grid for [2,3,4,5] must be [2,...,2] with 4 dims, got [2,6,7,3]");
  EXPECT_EQ(InferError("DFT", {.inputs = {F32({2, 6, 1}), example::Absent(), Int(-1)}}),
            "DFT: the last dim holds the parts of a number, and is not transformed");
}

TEST(OpError, Quantisation) {
  EXPECT_EQ(InferError("QuantizeLinear", {.inputs = {F32({3, 4}), F32({3})}}),
            "QuantizeLinear: the scale must be [4], got [3]");
  EXPECT_EQ(InferError("QuantizeLinear",
                       {.inputs = {F32({3, 4}), F32({})}, .attributes = {{"output_dtype", 7}}}),
            "QuantizeLinear: expected integers of at most 16 bits or floats of 8 or 4, got i64");
  EXPECT_EQ(InferError("MatMulInteger", {.inputs = {I64({3, 4}), I64({4, 5}), I64({4})}}),
            "MatMulInteger: a scale or zero point of [4] does not fit an operand of [3,4]");
}

TEST(OpError, Axes) {
  EXPECT_EQ(InferError("Softmax", {.inputs = {F32({2, 3})}, .attributes = {{"axis", 2}}}),
            "Softmax: axis must be in [-2, 1], got 2");
  EXPECT_EQ(InferError("Unsqueeze", {.inputs = {F32({2, 3}), Ints({1, 1})}}),
            "Unsqueeze: axis 1 occurs twice");
  EXPECT_EQ(InferError("Squeeze", {.inputs = {F32({2, 3}), Ints({1})}}),
            "Squeeze: axis 1 of [2,3] must have size 1");
}

TEST(OpError, Attributes) {
  const OpExample bytes{.inputs = {example::Of(ElementType::kU8, {2}), F32({2})}};
  EXPECT_EQ(InferError("BitShift", bytes), "BitShift: direction must be LEFT or RIGHT, got ''");
  EXPECT_EQ(InferError("BitShift", {.inputs = {I64({2}), I64({2})}}),
            "BitShift: direction must be LEFT or RIGHT, got ''\n"
            "BitShift: input 0 must hold unsigned integers, got i64");
  EXPECT_EQ(
      InferError("DepthToSpace", {.inputs = {F32({1, 6, 2, 2})}, .attributes = {{"blocksize", 2}}}),
      "DepthToSpace: channels must be a multiple of 4, got 6");
  EXPECT_EQ(InferError("GroupNormalization",
                       {.inputs = {F32({1, 6, 2}), F32({6}), F32({6})},
                        .attributes = {{"num_groups", 4}}}),
            "GroupNormalization: num_groups must divide 6 channels, got 4");
}

TEST(OpError, Equations) {
  const auto error = [](const char* equation) {
    return InferError(
        "Einsum", {.inputs = {F32({2, 3}), F32({3, 4})}, .attributes = {{"equation", equation}}});
  };
  EXPECT_EQ(error("ij,jk"), "");
  EXPECT_EQ(error("ij,jk,k"), "Einsum: equation 'ij,jk,k' is of 3 inputs, got 2");
  EXPECT_EQ(error("ij,j"), "Einsum: the equation's term 'j' does not fit input 1 of shape [3,4]");
  EXPECT_EQ(error("ij,ik"), "Einsum: sizes 2 and 3 of one index of 'ij,ik' differ");
  EXPECT_EQ(error("i1,jk"), "Einsum: unexpected '1' in the equation's term 'i1'");
  EXPECT_EQ(error("......,jk"), "Einsum: unexpected '.' in the equation's term '......'");
  EXPECT_EQ(error("ij,jk->iz"), "Einsum: the output of 'ij,jk->iz' has an index twice or anew");
  EXPECT_EQ(error("ij,jk->ii"), "Einsum: the output of 'ij,jk->ii' has an index twice or anew");
}

TEST(OpError, UnknownConstants) {
  EXPECT_EQ(InferError("Expand", {.inputs = {F32({3}), I64({2})}}),
            "Expand: input 1 must be known at compile time");
  EXPECT_EQ(InferError("Range", {.inputs = {Int(0), Int(5), Int(0)}}),
            "Range: no range from 0 to 5 by 0");
}

TEST(OpError, Values) {
  EXPECT_EQ(RunError("Gather", {Tensor::Of<float>({3}, {1, 2, 3}), Tensor::Of<int64_t>({1}, {3})}),
            "Gather: index must be in [-3, 2], got 3");
  EXPECT_EQ(RunError("Div", {Tensor::Of<int64_t>({1}, {7}), Tensor::Of<int64_t>({1}, {0})}),
            "Div: an integer is divided by zero");
  EXPECT_EQ(RunError("Pow", {Tensor::Of<int64_t>({1}, {7}), Tensor::Of<int64_t>({1}, {-1})}),
            "Pow: exponents of integers must not be negative, got -1");
}

TEST(OpError, Places) {
  const Tensor x = Tensor::Zeros({ElementType::kF32, {1, 1, 2, 2}});
  EXPECT_EQ(
      RunError("RoiAlign",
               {x, Tensor::Zeros({ElementType::kF32, {1, 4}}), Tensor::Of<int64_t>({1}, {1})}),
      "RoiAlign: a region lies in image 1 of 1");
  const Tensor weight = Tensor::Zeros({ElementType::kF32, {1, 1, 1}});
  EXPECT_EQ(RunError("RNN",
                     {Tensor::Zeros({ElementType::kF32, {2, 1, 1}}),
                      weight,
                      weight,
                      Tensor::Zeros({ElementType::kF32, {1, 2}}),
                      Tensor::Of<int32_t>({1}, {3})}),
            "RNN: a length must be in [0, 2], got 3");
}

TEST(OpError, Regions) {
  const OpExample::Input x = F32({1, 3, 4, 4});
  EXPECT_EQ(InferError("RoiAlign",
                       {.inputs = {x, F32({2, 4}), I64({2})},
                        .attributes = {{"sampling_ratio", int64_t{1} << 40}}}),
            "RoiAlign: sampling_ratio must be in [0, 1048576], got 1099511627776");
  EXPECT_EQ(
      InferError("RoiAlignGradient", {.inputs = {x, F32({2, 4}), I64({2}), F32({2, 3, 1, 2})}}),
      "RoiAlignGradient: the gradient of y must be [2,3,1,1], got [2,3,1,2]");
  EXPECT_EQ(InferError("MaxRoiPoolGradient",
                       {.inputs = {x, F32({2, 5}), F32({2, 3, 2, 2})},
                        .attributes = {{"pooled_shape", example::List{2, 1}}}}),
            "MaxRoiPoolGradient: the gradient of y must be [2,3,2,1], got [2,3,2,2]");
  const Tensor roi = Tensor::Of<float>({1, 4}, {0, 0, 2, 2});
  const Tensor dy = Tensor::Zeros({ElementType::kF32, {1, 1, 1, 1}});
  const Tensor flat = Tensor::Zeros({ElementType::kF32, {1, 1, 0, 2}});
  EXPECT_EQ(RunError("RoiAlignGradient", {flat, roi, Tensor::Of<int64_t>({1}, {-1}), dy}),
            "RoiAlignGradient: a region lies in image -1 of 1");
  // An image without elements can be sampled: there is nothing inside.
  EXPECT_EQ(RunError("RoiAlign", {flat, roi, Tensor::Of<int64_t>({1}, {0})}), "");
  EXPECT_EQ(RunError("RoiAlignGradient", {flat, roi, Tensor::Of<int64_t>({1}, {0}), dy}), "");
}

TEST(OpError, ClassesAndLengths) {
  EXPECT_EQ(RunError("NegativeLogLikelihoodLoss",
                     {Tensor::Of<float>({1, 2}, {1, 2}), Tensor::Of<int64_t>({1}, {2})}),
            "NegativeLogLikelihoodLoss: target must be in [0, 1], got 2");
  EXPECT_EQ(RunError("ReverseSequence",
                     {Tensor::Of<float>({2, 1}, {1, 2}), Tensor::Of<int64_t>({1}, {3})}),
            "ReverseSequence: lengths must be in [0, 2], got 3");
  EXPECT_EQ(RunError("TensorScatter",
                     {Tensor::Of<float>({1, 2, 1}, {1, 2}),
                      Tensor::Of<float>({1, 2, 1}, {1, 2}),
                      Tensor::Of<int64_t>({1}, {1})}),
            "TensorScatter: 2 places from 1 on do not fit 2");
}

TEST(OpError, LowestIntegerDividedByMinusOneWraps) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  const std::vector<Tensor> inputs{Tensor::Scalar(kLowest), Tensor::Scalar(int64_t{-1})};
  EXPECT_EQ(RunError("Div", inputs), "");
  EXPECT_EQ(RunError("Mod", inputs), "");
}

}  // namespace
}  // namespace metadist
