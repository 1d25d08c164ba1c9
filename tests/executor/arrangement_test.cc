// SPDX-License-Identifier: Apache-2.0
// Graphs whose values lie in other orders than row by row while they run: results equal those of
// the reference interpreter, and the kernels are those that are meant.
#include "executor/arrangement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "executor/run.h"
#include "metair/ops/interpret.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {
namespace {

using List = std::vector<int64_t>;

// A graph on one rank; shapes of results are inferred.
class Model {
 public:
  ValueId Input(Shape shape) {
    const ValueId id = Add(std::move(shape), ValueKind::kInput);
    graph_.inputs.push_back(id);
    return id;
  }
  ValueId Weight(Shape shape) { return Add(std::move(shape), ValueKind::kParameter); }
  ValueId Call(const std::string& op, List inputs, Attributes attributes = {}) {
    Node node;
    node.name = "n" + std::to_string(graph_.nodes.size());
    node.op = op;
    node.attributes = std::move(attributes);
    node.outputs = {kNone};
    for (int64_t input : inputs) node.inputs.push_back(static_cast<ValueId>(input));
    const OpCall call = CallOf(*OpTable::BuiltIn().Find("", op), graph_, node);
    const auto types = InferTypes(call);
    EXPECT_TRUE(types.ok()) << types.error().text();
    const ValueId out = Add(types.value()[0].shape, ValueKind::kResult);
    node.outputs = {out};
    graph_.AddNode(std::move(node));
    return out;
  }
  ValueId Convolution(ValueId x, Shape weights, int64_t group = 1) {
    Attributes attributes;
    attributes.set("pads", List(4, weights[2] / 2));
    attributes.set("group", group);
    const ValueId bias = Weight({weights[0]});
    const ValueId w = Weight(std::move(weights));
    return Call("Conv", {x, w, bias}, attributes);
  }

  // Kernels that ran, in order, after results were compared.
  std::vector<std::string> Run(std::vector<ValueId> outputs) {
    graph_.outputs = std::move(outputs);
    RunOptions options;
    options.random_weights = options.random_inputs = true;
    options.seed = 3;
    const auto result = RunProgram(SingleDevice(graph_), {}, {}, options);
    EXPECT_TRUE(result.ok()) << result.error().text();
    if (!result.ok()) return {};
    Compare(result.value());
    peak_ = result.value().peak_bytes;
    std::vector<std::string> kernels;
    for (const NodeTime& node : result.value().nodes) kernels.push_back(node.kernel);
    return kernels;
  }
  int64_t peak() const { return peak_; }
  int64_t planned() const { return PlanBuffers(graph_, OpTable::BuiltIn()).peak_bytes(); }
  Graph& graph() { return graph_; }

 private:
  ValueId Add(Shape shape, ValueKind kind) {
    const std::string name = "v" + std::to_string(graph_.values.size());
    return graph_.AddValue({name, {ElementType::kF32, std::move(shape)}, kind, {}, kNone});
  }
  void Compare(const RunResult& result) const {
    Graph whole = graph_;
    const OpTable& ops = OpTable::BuiltIn();
    for (auto& [name, tensor] : RandomWeights(whole, 3, ops))
      whole.value(whole.FindValue(name)).data = tensor;
    const NamedTensors drawn = RandomInputs(whole, 3, ops);
    std::vector<Tensor> inputs;
    for (ValueId id : whole.inputs) inputs.push_back(drawn.at(whole.value(id).name));
    const std::vector<Tensor> expected = Interpret(whole, ops, inputs).value();
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::vector<double> a = result.outputs[i].second.ToDoubles();
      const std::vector<double> b = expected[i].ToDoubles();
      ASSERT_EQ(a.size(), b.size());
      for (size_t j = 0; j < a.size(); ++j)
        ASSERT_NEAR(a[j], b[j], 1e-5 + 1e-4 * std::abs(b[j])) << "output " << i << " at " << j;
    }
  }

  Graph graph_;
  int64_t peak_ = 0;
};

using Kernels = std::vector<std::string>;

Attributes With(const std::string& name, List values) {
  Attributes attributes;
  attributes.set(name, std::move(values));
  return attributes;
}

TEST(Arrangement, TransposedOperandsAreReadWhereTheyLie) {
  Model model;
  const ValueId x = model.Input({3, 40, 24});
  const ValueId w = model.Weight({56, 24});
  const ValueId t = model.Call("Transpose", {w}, With("perm", {1, 0}));
  EXPECT_EQ(model.Run({model.Call("MatMul", {x, t}), model.Call("Relu", {w})}),
            (Kernels{"MatMul/plain", "Relu/loop"}));
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

// One buffer after the other: the operand of the transpose would be gone.
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
                     "Add/loop",
                     "Mul/loop",
                     "AveragePool/pixels",
                     "GlobalAveragePool/columns"}));
  EXPECT_LE(model.peak(), model.planned() * 1.05);
}

// Readers that want rows: views, outputs, kernels that look at no strides.
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

// The second one cannot be folded: its operand is gone when the sum is made. It is a plain copy.
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

// A weight with two readers keeps its order.
TEST(Arrangement, SharedWeightsAreNotPacked) {
  Model model;
  const ValueId x = model.Input({16, 64});
  const ValueId w = model.Weight({64, 64});
  const ValueId y = model.Call("MatMul", {model.Call("MatMul", {x, w}), w});
  const ValueId v = model.Weight({64, 64});
  model.Run({model.Call("MatMul", {y, v}), w});
  EXPECT_LE(model.peak(), model.planned() * 1.05);
}

}  // namespace
}  // namespace metadist
