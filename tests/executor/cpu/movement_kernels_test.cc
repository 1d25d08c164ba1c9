// SPDX-License-Identifier: Apache-2.0
// Kernels that move, select or cast elements.
#include "metair/ops/onnx_types.h"
#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

TEST(Kernels, ElementsPickedAlongAnyAxis) {
  for (const int64_t axis : {0, 1, 2})
    for (const ElementType type : {ElementType::kF32, ElementType::kI64, ElementType::kBool}) {
      OpExample example{.inputs = {{{type, {4, 5, 6}}}, {{ElementType::kI64, {4, 5, 6}}}}};
      example.inputs[1].type.shape[static_cast<size_t>(axis)] = 9;
      example.attributes.set("axis", axis);
      EXPECT_EQ(CompareNamed("GatherElements", example), "copy");
    }
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
  for (const char* mode : {"constant", "edge", "reflect", "wrap"})
    for (const List& pads : {List{0, 0, 2, 1, 0, 1, 2, 3},
                             List{1, 2, 0, 0, 1, 0, 0, 0},
                             List{0, 0, 0, 3, 0, 0, 0, -2},
                             List{0, -1, 1, 0, 1, 0, -2, 0},
                             List(8, 0)})
      for (const auto& x : {F32({2, 3, 6, 9}), I64({2, 3, 6, 9}), Truth({2, 3, 6, 9})}) {
        OpExample example{.inputs = {x, Ints(pads)}};
        example.attributes.set("mode", std::string(mode));
        EXPECT_EQ(CompareNamed("Pad", example), "copy");
        example.inputs.push_back({{x.type.element, {}}});
        EXPECT_EQ(CompareNamed("Pad", example), "copy");
      }
  for (const List& repeats : {List{1, 1, 1}, List{3, 1, 1}, List{1, 2, 1}, List{2, 1, 3}})
    for (const auto& x : {F32({2, 5, 7}), Truth({2, 5, 7}), F32({2, 1, 1})})
      EXPECT_EQ(CompareNamed("Tile", {.inputs = {x, Ints(repeats)}}), "copy");
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

TEST(Kernels, IntegersForFloats) {
  for (const ElementType type :
       {ElementType::kI8, ElementType::kU8, ElementType::kI16, ElementType::kU16})
    for (const Shape& scale : {Shape{}, Shape{1}, Shape{6}, Shape{3, 3, 5}})
      for (const bool shifted : {false, true}) {
        OpExample down{.inputs = {F32({3, 6, 5}), F32(scale), {{type, scale}}}};
        OpExample up{.inputs = {{{type, {3, 6, 5}}}, F32(scale), {{type, scale}}}};
        for (OpExample* example : {&down, &up}) {
          if (scale.size() > 1) example->attributes.set("block_size", int64_t{2});
          if (!shifted) example->inputs.pop_back();
        }
        down.attributes.set("output_dtype", OnnxNumberOf(type));
        const std::string kernel = scale.size() > 1 ? "blocks" : "lines";
        EXPECT_EQ(CompareNamed("QuantizeLinear", down), kernel);
        EXPECT_EQ(CompareNamed("DequantizeLinear", up), kernel);
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
