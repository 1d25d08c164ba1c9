// SPDX-License-Identifier: Apache-2.0
// Chains give the same bits as nodes run one by one, in the same memory.
#include "executor/device/chain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "metair/ops/onnx_types.h"
#include "tests/executor/model.h"

namespace metadist {
namespace {

using Kernels = std::vector<std::string>;

RunResult Once(const Graph& graph, bool fuse) {
  RunOptions options;
  options.random_weights = options.random_inputs = true;
  options.seed = 3;
  options.iterations = 2;  // what the first left behind changes nothing
  options.fuse = fuse;
  auto result = RunProgram(SingleDevice(graph), {}, {}, options);
  EXPECT_TRUE(result.ok()) << result.error().text();
  return std::move(result).value();
}

// The kernels of the run with chains; every node occurs in it once.
Kernels RunBoth(Model& model, std::vector<ValueId> outputs) {
  model.graph().outputs = std::move(outputs);
  const RunResult chained = Once(model.graph(), /*fuse=*/true);
  const RunResult single = Once(model.graph(), /*fuse=*/false);
  EXPECT_EQ(chained.peak_bytes, single.peak_bytes);
  EXPECT_EQ(chained.memory[0].arena_bytes, model.planned_arena());
  for (size_t i = 0; i < single.outputs.size(); ++i) {
    const Tensor& a = chained.outputs[i].second;
    const Tensor& b = single.outputs[i].second;
    EXPECT_EQ(a.type(), b.type());
    EXPECT_EQ(std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.type().bytes())), 0)
        << "output " << i;
  }
  Kernels kernels;
  std::vector<NodeId> nodes;
  for (const NodeTime& time : chained.nodes) {
    kernels.push_back(time.kernel);
    nodes.push_back(time.node);
    nodes.insert(nodes.end(), time.others.begin(), time.others.end());
  }
  std::vector<NodeId> expected;
  for (const NodeTime& time : single.nodes) {
    EXPECT_TRUE(time.others.empty());
    expected.push_back(time.node);
  }
  EXPECT_EQ(nodes, expected);
  return kernels;
}

TEST(Chain, RunsNodesAsOne) {
  for (const Shape& shape : {Shape{3, 5}, Shape{64, 64}, Shape{70, 201}}) {
    Model model;
    const ValueId x = model.Input(shape);
    ValueId y = model.Call("Mul", {x, model.Weight({shape[1]})});
    y = model.Call("Add", {model.Weight({shape[0], 1}), y});
    y = model.Call("Tanh", {model.Call("Add", {y, x})});
    EXPECT_EQ(RunBoth(model, {y}), Kernels{"Mul/loop+Add/loop+Add/loop+Tanh/loop"});
  }
}

TEST(Chain, WritesWhatIsReadElsewhere) {
  Model model;
  const ValueId x = model.Input({80, 120});
  const ValueId output = model.Call("Sigmoid", {x});
  const ValueId twice = model.Call("Exp", {output});
  const ValueId y = model.Call("Neg", {twice});
  const ValueId product = model.Call("MatMul", {twice, model.Weight({120, 7})});
  EXPECT_EQ(RunBoth(model, {output, y, product}).front(), "Sigmoid/loop+Exp/loop+Neg/loop");
}

TEST(Chain, GoesThroughViews) {
  Model model;
  const ValueId x = model.Input({80, 120});
  const ValueId y = model.Call("Flatten", {model.Call("Relu", {x})});
  EXPECT_EQ(RunBoth(model, {model.Call("Exp", {y})}), Kernels{"Relu/loop+Exp/loop"});
}

TEST(Chain, EndsWhereSizesChange) {
  Model model;
  const ValueId x = model.Input({80, 120});
  ValueId y = model.Call("Exp", {model.Call("Neg", {x})});
  const ValueId row = model.Call("Relu", {model.Call("Abs", {model.Weight({120})})});
  y = model.Call("Sqrt", {model.Call("Mul", {y, row})});
  EXPECT_EQ(RunBoth(model, {y}),
            (Kernels{"Neg/loop+Exp/loop", "Abs/loop+Relu/loop", "Mul/loop+Sqrt/loop"}));
}

// The transpose is folded, so elements of other blocks are read by strides. If nothing else reads
// its operand, the last result is placed in the operand's memory and would overwrite it before the
// next block is read.
TEST(Chain, EndsWhereAnotherOrderIsRead) {
  for (const bool kept : {true, false}) {
    Model model;
    const ValueId x = model.Call("Exp", {model.Input({96, 96})});
    const ValueId t = model.Call("Transpose", {x}, With("perm", {1, 0}));
    const ValueId y = model.Call("Relu", {model.Call("Add", {x, t})});
    if (kept)
      EXPECT_EQ(RunBoth(model, {x, y}), (Kernels{"Exp/loop", "Add/loop+Relu/loop"}));
    else
      EXPECT_EQ(RunBoth(model, {y}), (Kernels{"Exp/loop", "Add/loop", "Relu/loop"}));
  }
}

// The row is read as a whole for every block.
TEST(Chain, KeepsStretchedOperands) {
  Model model;
  const ValueId x = model.Input({64, 300});
  const ValueId row = model.Call("Mul", {model.Input({1, 300}), model.Weight({300})});
  ValueId y = model.Call("Add", {x, row});
  for (int i = 0; i < 6; ++i) y = model.Call(i % 2 == 0 ? "Neg" : "Relu", {y});
  EXPECT_EQ(RunBoth(model, {y}).front(), "Mul/loop");
}

// Third powers are computed as products, whose last bits differ from those of other powers: pieces
// of rows must use the same method as whole rows.
TEST(Chain, RaisesPiecesOfRowsAsAllRows) {
  Model model;
  const ValueId one = model.Call("Ceil", {model.Call("Sigmoid", {model.Input({70, 1})})});
  const ValueId three = model.Call("Add", {model.Call("Add", {one, one}), one});
  const ValueId y = model.Call("Neg", {model.Call("Pow", {model.Input({70, 201}), three})});
  EXPECT_EQ(RunBoth(model, {three, y}).back(), "Pow/loop+Neg/loop");
}

TEST(Chain, RunsImagesWithTheirChannelsLast) {
  Model model;
  const ValueId x = model.Input({2, 8, 24, 24});
  ValueId y = model.Convolution(x, {32, 8, 3, 3});
  y = model.Call("Mul", {model.Call("Sigmoid", {y}), y});
  y = model.Call("Relu", {model.Call("Add", {y, model.Weight({32, 1, 1})})});
  const Kernels kernels = RunBoth(model, {model.Call("GlobalAveragePool", {y})});
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[1], "Sigmoid/loop+Mul/loop+Add/loop+Relu/loop");
}

// A graph of elementwise nodes on matrices, rows, columns and scalars, of all element sizes.
class Drawn {
 public:
  explicit Drawn(uint64_t seed) : draw_(seed) {
    const int64_t rows = 1 + Any(150);
    const int64_t columns = 1 + Any(150);
    for (const Shape& shape : {Shape{rows, columns}, {rows, columns}, {columns}, {rows, 1}, {}})
      floats_.push_back(model.Input(shape));
    conditions_.push_back(model.Call("Less", {floats_[0], floats_[1]}));
    for (int i = 0; i < 25; ++i) Grow();
    std::vector<ValueId> outputs = {floats_.back(), conditions_.back()};
    if (Any(2) == 0) outputs.push_back(floats_[floats_.size() / 2]);
    RunBoth(model, std::move(outputs));
  }

  Model model;

 private:
  int64_t Any(int64_t count) {
    return static_cast<int64_t>(draw_() % static_cast<uint64_t>(count));
  }
  // One of the last few with higher probability than others.
  ValueId Of(const std::vector<ValueId>& values) {
    const int64_t size = static_cast<int64_t>(values.size());
    const int64_t back = Any(2) == 0 ? Any(std::min<int64_t>(size, 3)) : Any(size);
    return values[static_cast<size_t>(size - 1 - back)];
  }
  void Grow() {
    const char* const unary[] = {"Relu", "Neg", "Tanh", "Abs", "Gelu", "Floor"};
    const char* const binary[] = {"Add", "Sub", "Mul", "Max", "Div"};
    switch (Any(6)) {
      case 0:
        floats_.push_back(model.Call(unary[Any(6)], {Of(floats_)}));
        break;
      case 1:
      case 2:
        floats_.push_back(model.Call(binary[Any(5)], {Of(floats_), Of(floats_)}));
        break;
      case 3:
        conditions_.push_back(model.Call("Greater", {Of(floats_), Of(floats_)}));
        break;
      case 4:
        floats_.push_back(model.Call("Where", {Of(conditions_), Of(floats_), Of(floats_)}));
        break;
      default: {
        const ElementType types[] = {ElementType::kI64, ElementType::kF16, ElementType::kU8};
        floats_.push_back(CastOf(CastOf(Of(floats_), types[Any(3)]), ElementType::kF32));
      }
    }
  }
  ValueId CastOf(ValueId x, ElementType to) {
    Attributes attributes;
    attributes.set("to", int64_t{OnnxNumberOf(to)});
    return model.Call("Cast", {x}, attributes);
  }

  std::mt19937_64 draw_;
  std::vector<ValueId> floats_;
  std::vector<ValueId> conditions_;
};

TEST(Chain, EqualsNodesOneByOne) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Drawn drawn(seed);
  }
}

}  // namespace
}  // namespace metadist
