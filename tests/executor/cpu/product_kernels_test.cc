// SPDX-License-Identifier: Apache-2.0
// Matrix products and operators built on them.
#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

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

// One matrix at a time, with the right-hand side in panels; the last panel is narrower.
TEST(Kernels, MatrixProductsInHalfPrecision) {
  for (ElementType half : {ElementType::kF16, ElementType::kBF16}) {
    const auto kernel = [&](const Shape& a, const Shape& b) {
      const std::string name = CompareNamed("MatMul", {.inputs = {{{half, a}}, {{half, b}}}});
      return name.substr(name.find(' ') + 1);
    };
    EXPECT_EQ(kernel({2, 1, 20'000}, {20'000, 300}), "via f32 panels");
    EXPECT_EQ(kernel({1, 20'000}, {20'000, 512}), "via f32 panels");
    EXPECT_EQ(kernel({20'000}, {20'000, 300}), "via f32 panels");
    EXPECT_EQ(kernel({3, 64}, {64, 48}), "via f32");
    EXPECT_EQ(kernel({2, 3, 5, 8}, {2, 3, 8, 48}), "via f32 panels");
    EXPECT_EQ(kernel({2, 5, 8}, {1, 8, 48}), "via f32");
  }
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
      {"bqhd,bkhd->bqkh", {{2, 37, 3, 16}, {2, 41, 3, 16}}, "product"},
      {"bqhde,bkhde->bkqh", {{2, 9, 3, 4, 5}, {2, 7, 3, 4, 5}}, "product"},
      {"ijh,jkh->ikh", {{3, 200, 5}, {200, 4, 5}}, "product"},
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

// A transposed operand is read in place.
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

// Every combination of heads, masks, caps and past vectors; the lengths cover several blocks.
TEST(Kernels, Attention) {
  const OpExample::Input absent{.present = false};
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
                                                         Truth({queries, total}),
                                                         F32({2, 1, queries, total}),
                                                         F32({heads, 1, total}),
                                                         Truth({2, heads, 1, total}),
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

// For a transposed right-hand side oneDNN copies it whole, however small the rest is.
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

}  // namespace
}  // namespace metadist::cpu
