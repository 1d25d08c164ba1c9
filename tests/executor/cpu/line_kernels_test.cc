// SPDX-License-Identifier: Apache-2.0
// Kernels along lines: softmax, norms, reductions, the best elements of a line.
#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

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

TEST(Kernels, NormalisationAcrossChannels) {
  if (OpTable::BuiltIn().Find("", "LRN") == nullptr) GTEST_SKIP() << "no such operator";
  for (int64_t size : {1, 2, 5, 20})
    for (int64_t columns : {1, 13, 70}) {
      OpExample example{.inputs = {F32({2, 7, 3, columns})}};
      example.attributes.set("size", size);
      example.attributes.set("alpha", 0.5);
      EXPECT_EQ(CompareNamed("LRN", example), "rows");
    }
}

TEST(Kernels, Reductions) {
  if (OpTable::BuiltIn().Find("", "ReduceMean") == nullptr) GTEST_SKIP() << "no such operator";
  for (const auto& axes : std::vector<std::vector<int64_t>>{{2}, {-1}, {1}, {0}, {1, 2}, {0, 1}})
    EXPECT_NE(CompareNamed("ReduceMean", {.inputs = {F32({5, 37, 19}), Ints(axes)}}), "loops");
  for (const char* name : {"ReduceMean",
                           "ReduceSum",
                           "ReduceMax",
                           "ReduceMin",
                           "ReduceL1",
                           "ReduceL2",
                           "ReduceSumSquare",
                           "ReduceProd"})
    for (const auto& axes : std::vector<std::vector<int64_t>>{{0, 2}, {1, 3}, {0, 3}, {0, 1, 3}})
      for (const int64_t keep : {0, 1}) {
        OpExample example{.inputs = {F32({2, 3, 4, 21}), Ints(axes)}};
        example.attributes.set("keepdims", keep);
        EXPECT_EQ(CompareNamed(name, example), "loops") << name;
      }
  for (const char* name : {"ReduceSum", "ReduceMax", "ReduceMin"})
    for (const ElementType type : {ElementType::kI32, ElementType::kI64})
      EXPECT_EQ(CompareNamed(name, {.inputs = {{{type, {5, 37, 19}}}, Ints({1})}}), "loops");
}

TEST(Kernels, LogarithmsOfShares) {
  for (const int64_t columns : {1, 5, 33, 300})
    for (const int64_t inner : {1, 2, 65}) {
      OpExample example{.inputs = {F32({3, columns, inner})}};
      example.attributes.set("axis", int64_t{1});
      EXPECT_NE(CompareNamed("LogSoftmax", example), "reference");
    }
}

TEST(Kernels, Losses) {
  for (const char* name : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"})
    for (const Shape& inner : {Shape{}, Shape{5}, Shape{7, 19}})
      for (const char* reduction : {"none", "sum", "mean"})
        for (int64_t parts = 0; parts < 8; ++parts) {
          Shape scores{3, 11};
          Shape labels{3};
          scores.insert(scores.end(), inner.begin(), inner.end());
          labels.insert(labels.end(), inner.begin(), inner.end());
          OpExample example{.inputs = {F32(scores), I64(labels)}};
          if ((parts & 1) != 0) example.inputs.push_back(F32({11}));
          if ((parts & 2) != 0) example.attributes.set("ignore_index", int64_t{3});
          if ((parts & 4) != 0 && std::string(name).starts_with("Soft")) example.num_outputs = 2;
          example.attributes.set("reduction", std::string(reduction));
          EXPECT_EQ(CompareNamed(name, example), "rows");
        }
}

TEST(Kernels, ExtremesOfLines) {
  for (const char* name : {"ArgMax", "ArgMin"})
    for (const int64_t axis : {0, 1, 2})
      for (const ElementType type : {ElementType::kF32, ElementType::kI64})
        for (const int64_t last : {0, 1}) {
          OpExample example{.inputs = {{{type, {14, 5, 6}}}}};
          example.attributes.set("axis", axis);
          example.attributes.set("select_last_index", last);
          EXPECT_EQ(CompareNamed(name, example), "lines");
        }
}

TEST(Kernels, BestElements) {
  for (const int64_t axis : {0, 1, 2})
    for (const int64_t largest : {0, 1})
      for (const int64_t k : {1, 2, 5, 13})
        for (const auto& x : {F32({13, 14, 15}), I64({13, 14, 15})}) {
          OpExample example{.inputs = {x, Ints({k})}, .num_outputs = 2};
          example.attributes.set("axis", axis);
          example.attributes.set("largest", largest);
          EXPECT_EQ(CompareNamed("TopK", example), "heap");
        }
}

TEST(Kernels, RunningSums) {
  for (const int64_t axis : {0, 1, 2})
    for (const int64_t exclusive : {0, 1})
      for (const int64_t reverse : {0, 1})
        for (const auto& x : {F32({5, 14, 6}), I64({5, 14, 6}), F32({1, 1, 1})}) {
          OpExample example{.inputs = {x, Ints({axis})}};
          example.attributes.set("exclusive", exclusive);
          example.attributes.set("reverse", reverse);
          EXPECT_EQ(CompareNamed("CumSum", example), "rows");
        }
}

}  // namespace
}  // namespace metadist::cpu
