// SPDX-License-Identifier: Apache-2.0
// Graphs whose values are not row-major while they run: results equal those of the reference
// interpreter, and the expected kernels run.
#include "executor/device/arrangement.h"

#include <gtest/gtest.h>

#include "tests/executor/model.h"

namespace metadist {
namespace {

using Kernels = std::vector<std::string>;

TEST(Arrangement, TransposedOperandsAreReadWhereTheyLie) {
  Model model;
  const ValueId x = model.Input({3, 40, 24});
  const ValueId w = model.Weight({56, 24});
  const ValueId t = model.Call("Transpose", {w}, With("perm", {1, 0}));
  const Kernels kernels = model.Run({model.Call("MatMul", {x, t}), model.Call("Relu", {w})});
  ASSERT_EQ(kernels.size(), 2u);  // which product is fastest depends on the CPU
  EXPECT_TRUE(kernels[0].starts_with("MatMul/")) << kernels[0];
  EXPECT_EQ(kernels[1], "Relu/loop");
}

TEST(Arrangement, BatchesOfTransposedMatrices) {
  for (const List& order : {List{0, 2, 3, 1}, List{0, 2, 1, 3}, List{1, 0, 3, 2}}) {
    Model model;
    const ValueId x = model.Input({3, 20, 3, 24});
    const ValueId y = model.Call("Transpose", {x}, With("perm", order));
    const ValueId back = model.Call("Transpose", {y}, With("perm", {0, 1, 3, 2}));
    const Kernels kernels = model.Run({model.Call("MatMul", {y, back})});
    ASSERT_FALSE(kernels.empty());
    EXPECT_TRUE(kernels.back().starts_with("MatMul/"));
    EXPECT_LE(kernels.size(), 2u);
  }
}

TEST(Arrangement, AResultThatIsWantedIsMade) {
  Model model;
  const ValueId x = model.Input({20, 24});
  const ValueId t = model.Call("Transpose", {x});
  EXPECT_EQ(model.Run({model.Call("MatMul", {x, t}), t}).size(), 2u);
}

// Kernels pad the weights of few channels to blocks, which predictions of memory do not include.
TEST(Arrangement, PaddedWeightsTakeLittleMemory) {
  Model model;
  ValueId x = model.Input({1, 16, 16, 16});
  for (int i = 0; i < 32; ++i) {
    x = model.Call("Relu", {model.Convolution(x, {8, 16, 3, 3})});
    x = model.Call("Relu", {model.Convolution(x, {16, 8, 3, 3})});
  }
  model.Run({model.Call("GlobalAveragePool", {x})});
  EXPECT_LE(static_cast<double>(model.peak()), static_cast<double>(model.planned()) * 1.05);
}

// Buffers are reused one after the other: the operand of the transpose would be overwritten.
TEST(Arrangement, NoOperandOutlivesItsBuffer) {
  for (int64_t size : {16, 64, 1000}) {
    Model model;
    ValueId x = model.Input({24, size});
    for (int i = 0; i < 4; ++i) {
      x = model.Call("Relu", {x});
      const ValueId t = model.Call("Transpose", {x});
      const ValueId s = model.Call("Sigmoid", {model.Call("Exp", {x})});
      x = model.Call("MatMul", {model.Call("MatMul", {s, t}), s});
    }
    model.Run({x});
    EXPECT_LE(model.peak(), model.planned() * 1.05 + 1024);
  }
}

// The second convolution accepts a channels-last image only if its own result may have that layout,
// too.
TEST(Arrangement, ImagesLieRowByRowWhereTheNextOneMust) {
  for (int64_t channels : {5, 16}) {
    Model model;
    const ValueId x = model.Input({4, 3, 32, 32});
    const ValueId y = model.Call("Relu", {model.Convolution(x, {channels, 3, 3, 3})});
    const ValueId z = model.Convolution(y, {channels, channels, 3, 3});
    model.Run({model.Call("Softmax", {z})});
    EXPECT_LE(model.peak(), model.planned() * 1.01 + 10240) << channels << " channels";
  }
}

TEST(Arrangement, ImagesKeepTheirChannelsLast) {
  Model model;
  const ValueId x = model.Input({2, 3, 32, 32});
  ValueId y = model.Call("Relu", {model.Convolution(x, {24, 3, 3, 3})});
  y = model.Call("MaxPool", {y}, With("kernel_shape", {2, 2}));
  const ValueId z = model.Convolution(model.Convolution(y, {24, 1, 3, 3}, 24), {24, 24, 1, 1});
  y = model.Call("Mul", {model.Call("Add", {y, z}), model.Weight({24, 1, 1})});
  y = model.Call("AveragePool", {y}, With("kernel_shape", {3, 3}));
  EXPECT_EQ(model.Run({model.Call("GlobalAveragePool", {y})}),
            (Kernels{"Conv/onednn",
                     "Relu/loop",
                     "MaxPool/pixels",
                     "Conv/onednn",
                     "Conv/onednn",
                     "Add/loop+Mul/loop",
                     "AveragePool/pixels",
                     "GlobalAveragePool/columns"}));
  EXPECT_LE(model.peak(), model.planned() * 1.05);
}

// Readers that need row-major images: views, outputs, kernels that do not read strides.
TEST(Arrangement, ImagesTurnWhereTheyMust) {
  Model model;
  const ValueId x = model.Input({2, 16, 16, 16});
  const ValueId a = model.Call("Relu", {model.Convolution(x, {16, 16, 3, 3})});
  const ValueId b = model.Convolution(a, {32, 16, 3, 3});
  const ValueId c = model.Call("Sigmoid", {b});
  const ValueId d = model.Call("Softmax", {model.Convolution(c, {8, 32, 1, 1})});
  model.Run(
      {b, model.Call("Flatten", {c}), d, model.Call("Transpose", {a}, With("perm", {0, 2, 3, 1}))});
}

// The second transpose cannot be folded, because its operand is overwritten before the sum runs. It
// is a plain copy.
TEST(Arrangement, TransposesToAndFromChannelsLast) {
  Model model;
  const ValueId x = model.Input({2, 16, 16, 16});
  const ValueId a = model.Convolution(x, {16, 1, 3, 3}, 16);
  const ValueId b = model.Call("Transpose", {a}, With("perm", {0, 2, 3, 1}));
  const ValueId c = model.Call("Softmax", {b});
  const ValueId d = model.Call("Transpose", {c}, With("perm", {0, 3, 1, 2}));
  EXPECT_EQ(model.Run({model.Call("GlobalAveragePool", {model.Call("Add", {a, d})})}),
            (Kernels{"Conv/onednn",
                     "Softmax/rows",
                     "Transpose/copy",
                     "Add/loop",
                     "GlobalAveragePool/columns"}));
}

TEST(Arrangement, BatchesAreNormalizedWithChannelsLast) {
  for (int64_t training : {0, 1}) {
    Model model;
    const ValueId x = model.Input({4, 3, 16, 16});
    Attributes attributes;
    attributes.set("training_mode", training);
    const ValueId y = model.Call("BatchNormalization",
                                 {model.Convolution(x, {24, 3, 3, 3}),
                                  model.Weight({24}),
                                  model.Weight({24}),
                                  model.Weight({24}),
                                  model.Weight({24})},
                                 attributes);
    EXPECT_EQ(model.Run({model.Call("GlobalAveragePool", {y})}),
              (Kernels{"Conv/onednn", "BatchNormalization/pixels", "GlobalAveragePool/columns"}));
  }
}

// A weight with two readers is not reordered.
TEST(Arrangement, SharedWeightsAreNotPacked) {
  Model model;
  const ValueId x = model.Input({16, 64});
  const ValueId w = model.Weight({64, 64});
  const ValueId y = model.Call("MatMul", {model.Call("MatMul", {x, w}), w});
  const ValueId v = model.Weight({64, 64});
  model.Run({model.Call("MatMul", {y, v}), w});
  EXPECT_LE(model.peak(), model.planned() * 1.05);
}

// A scalar has no strides, and so no channels-last layout: its reader stays row-major, and in the
// chain.
TEST(Arrangement, NumbersLeaveImagesAlone) {
  Model model;
  const ValueId x = model.Call("MatMul", {model.Input({2, 4, 6, 8}), model.Weight({2, 4, 8, 6})});
  const ValueId y =
      model.Call("Add", {model.Call("Mul", {x, model.Weight({})}), model.Weight({6})});
  EXPECT_EQ(model.Run({model.Call("Softmax", {y})}).at(1), "Mul/loop+Add/loop");
}

}  // namespace
}  // namespace metadist
