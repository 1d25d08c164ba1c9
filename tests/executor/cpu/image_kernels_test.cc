// SPDX-License-Identifier: Apache-2.0
// Kernels that slide a window over images, or resize them.
#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

struct Window {
  std::vector<int64_t> pads;
  int64_t step = 1;
  int64_t gap = 1;
  int64_t group = 1;
};

std::string CompareConvolution(const Shape& x,
                               const Shape& w,
                               const Window& window,
                               bool bias = true) {
  const size_t space = x.size() - 2;
  OpExample example{.inputs = {F32(x), F32(w)}};
  if (bias) example.inputs.push_back(F32({w[0]}));
  example.attributes.set("pads", window.pads);
  example.attributes.set("group", window.group);
  example.attributes.set("strides", std::vector<int64_t>(space, window.step));
  example.attributes.set("dilations", std::vector<int64_t>(space, window.gap));
  return CompareNamed("Conv", example);
}

TEST(Kernels, ConvolutionsThatAreValidIgnorePads) {
  OpExample example{.inputs = {F32({1, 3, 9, 8}), F32({4, 3, 3, 3})}};
  example.attributes.set("auto_pad", "VALID");
  example.attributes.set("pads", std::vector<int64_t>{1, 1, 1, 1});
  EXPECT_EQ(CompareNamed("Conv", example), "planes");
}

TEST(Kernels, Convolutions) {
  if (OpTable::BuiltIn().Find("", "Conv") == nullptr) GTEST_SKIP() << "no such operator";
  const auto conv = CompareConvolution;
  EXPECT_EQ(conv({2, 4, 17}, {6, 4, 5}, {{2, 2}, 2}, true), "onednn");
  // One tap: the image read in place, in vectors, and copied into planes.
  EXPECT_EQ(conv({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}}, true), "planes");
  EXPECT_EQ(conv({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}}, false), "planes");
  EXPECT_EQ(conv({2, 5, 7, 9}, {3, 5, 1, 1}, {{0, 0, 0, 0}}, true), "planes");
  // One tap, rows of the image far apart.
  EXPECT_EQ(conv({1, 64, 32, 32}, {32, 64, 1, 1}, {{0, 0, 0, 0}}, true), "planes");
  EXPECT_EQ(conv({1, 96, 24, 24}, {20, 96, 1, 1}, {{0, 0, 0, 0}}, false), "planes");
  EXPECT_EQ(conv({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}, 2}, true), "planes");
  // Rows as one line, separate rows, several panels, and several tiles per row.
  for (int64_t width : {3, 8, 9, 16, 23, 32, 70, 300})
    for (int64_t step : {1, 2, 3})
      EXPECT_EQ(conv({2, 3, 11, width}, {9, 3, 3, 3}, {{1, 1, 1, 1}, step}, width % 2 == 0),
                "planes");
  // Several groups of channels, whose results are accumulated.
  EXPECT_EQ(conv({1, 40, 10, 12}, {4, 40, 3, 3}, {{1, 1, 1, 1}}, true), "planes");
  EXPECT_EQ(conv({1, 40, 8, 8}, {64, 40, 3, 3}, {{1, 1, 1, 1}}, false), "planes");
  // Padding on one side, gaps, groups, one channel per group.
  EXPECT_EQ(conv({1, 8, 19, 19}, {16, 4, 3, 3}, {{0, 1, 2, 1}, 1, 2, 2}, true), "planes");
  EXPECT_EQ(conv({1, 8, 19, 19}, {16, 4, 3, 2}, {{0, 1, 2, 1}, 2, 3, 2}, true), "planes");
  EXPECT_EQ(conv({1, 8, 9, 9}, {8, 1, 3, 3}, {{1, 1, 1, 1}, 1, 1, 8}, true), "planes");
  EXPECT_EQ(conv({1, 2, 5, 5}, {2, 2, 5, 5}, {{4, 4, 4, 4}}, true), "planes");
}

// Their gradients, by oneDNN where it needs little scratch memory, else in parts.
TEST(Kernels, GradientsOfConvolutionWeights) {
  int by_library = 0, in_parts = 0;
  const auto compare = [&](const Shape& x, const Shape& w, const Window& window) {
    const size_t space = x.size() - 2;
    Shape dy{x[0], w[0]};
    for (size_t d = 0; d < space; ++d) {
      const int64_t padded = x[d + 2] + window.pads[d] + window.pads[d + space];
      dy.push_back((padded - window.gap * (w[d + 2] - 1) - 1) / window.step + 1);
    }
    OpExample example{.inputs = {F32(x), F32(dy)}};
    example.attributes.set("pads", window.pads);
    example.attributes.set("group", window.group);
    example.attributes.set("strides", std::vector<int64_t>(space, window.step));
    example.attributes.set("dilations", std::vector<int64_t>(space, window.gap));
    example.attributes.set("kernel_shape", std::vector<int64_t>(w.begin() + 2, w.end()));
    const std::string kernel = CompareNamed("ConvWeightGradient", example, "metadist");
    by_library += kernel == "onednn";
    in_parts += kernel == "parts";
  };
  compare({2, 4, 17}, {6, 4, 5}, {{2, 2}, 2});
  compare({1, 3, 4, 5, 6}, {4, 3, 2, 3, 2}, {{0, 1, 0, 1, 0, 1}});
  compare({2, 16, 8, 8}, {32, 16, 1, 1}, {{0, 0, 0, 0}});
  compare({2, 64, 7, 7}, {96, 64, 3, 3}, {{1, 1, 1, 1}});
  compare({1, 8, 19, 19}, {16, 4, 3, 2}, {{0, 1, 2, 1}, 2, 3, 2});
  compare({3, 8, 9, 9}, {8, 1, 3, 3}, {{1, 1, 1, 1}, 1, 1, 8});
  compare({1, 2, 5, 5}, {2, 2, 5, 5}, {{4, 4, 4, 4}});
  compare({2, 3, 40, 40}, {20, 3, 7, 7}, {{3, 3, 3, 3}, 2});
  EXPECT_GT(in_parts, 2);
  EXPECT_EQ(by_library + in_parts, 8);
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
  for (const char* name : {"MaxPool", "AveragePool"})
    for (const int64_t counted : {0, 1}) {
      OpExample volume{.inputs = {F32({2, 3, 7, 5, 9})}};
      volume.attributes.set("kernel_shape", List{3, 2, 2});
      volume.attributes.set("strides", List{2, 1, 2});
      volume.attributes.set("pads", List{1, 0, 1, 1, 1, 0});
      volume.attributes.set("count_include_pad", counted);
      EXPECT_EQ(CompareNamed(name, volume), "rows");
    }
  OpExample line{.inputs = {F32({2, 3, 19})}};
  line.attributes.set("kernel_shape", List{5});
  line.attributes.set("dilations", List{2});
  line.attributes.set("pads", List{2, 1});
  EXPECT_EQ(CompareNamed("MaxPool", line), "rows");
}

TEST(Kernels, ResizedImages) {
  using List = std::vector<int64_t>;
  for (const char* mode : {"nearest", "linear", "cubic"})
    for (const char* place : {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"})
      for (const List& sizes : {List{2, 3, 14, 18},
                                List{2, 3, 3, 5},
                                List{2, 3, 7, 20},
                                List{2, 3, 13, 9},
                                List{4, 3, 7, 9},
                                List{2, 5, 8, 10}})
        for (const int64_t narrow : {0, 1}) {
          OpExample example{
              .inputs = {F32({2, 3, 7, 9}), {.present = false}, {.present = false}, Ints(sizes)}};
          example.attributes.set("mode", std::string(mode));
          example.attributes.set("coordinate_transformation_mode", std::string(place));
          example.attributes.set("antialias", narrow);
          SCOPED_TRACE(testing::Message() << mode << " " << place << " " << ShapeText(sizes));
          EXPECT_EQ(CompareNamed("Resize", example),
                    std::string(mode) == "nearest" ? "copy" : "rows");
        }
}

TEST(Kernels, TransposedConvolutions) {
  using List = std::vector<int64_t>;
  for (const int64_t group : {1, 2})
    for (const int64_t step : {1, 2, 3})
      for (const int64_t gap : {1, 2})
        for (const List& pads : {List{0, 0, 0, 0}, List{1, 2, 0, 1}})
          for (const bool biased : {false, true}) {
            OpExample example{.inputs = {F32({2, 6, 5, 23}), F32({6, 9, 2, 3})}};
            if (biased) example.inputs.push_back(F32({9 * group}));
            example.attributes.set("group", group);
            example.attributes.set("strides", List{step, step});
            example.attributes.set("dilations", List{1, gap});
            example.attributes.set("pads", pads);
            EXPECT_EQ(CompareNamed("ConvTranspose", example), "rows");
          }
  OpExample volume{.inputs = {F32({1, 4, 3, 4, 5}), F32({4, 3, 2, 3, 2})}};
  volume.attributes.set("strides", List{2, 1, 3});
  volume.attributes.set("pads", List{1, 0, 1, 0, 1, 0});
  EXPECT_EQ(CompareNamed("ConvTranspose", volume), "rows");
}

}  // namespace
}  // namespace metadist::cpu
