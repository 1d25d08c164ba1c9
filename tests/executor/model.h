// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "executor/host/random_data.h"
#include "executor/run/run.h"
#include "metair/ops/interpret.h"
#include "metair/spmd/buffer_plan.h"

// Building blocks for graphs in tests of the executor.
namespace metadist {

using List = std::vector<int64_t>;

inline Attributes With(const std::string& name, List values) {
  Attributes attributes;
  attributes.set(name, std::move(values));
  return attributes;
}

// A graph on one rank; shapes of results are inferred.
class Model {
 public:
  ValueId Input(Shape shape) {
    const ValueId id = Add({ElementType::kF32, std::move(shape)}, ValueKind::kInput);
    graph_.inputs.push_back(id);
    return id;
  }
  ValueId Weight(Shape shape) {
    return Add({ElementType::kF32, std::move(shape)}, ValueKind::kParameter);
  }
  ValueId Call(const std::string& op, const List& inputs, Attributes attributes = {}) {
    Node node;
    node.name = "n" + std::to_string(graph_.nodes.size());
    node.op = op;
    node.attributes = std::move(attributes);
    node.outputs = {kNone};
    for (int64_t input : inputs) node.inputs.push_back(static_cast<ValueId>(input));
    const OpCall call = CallOf(*OpTable::BuiltIn().Find("", op), graph_, node);
    const auto types = InferTypes(call);
    EXPECT_TRUE(types.ok()) << types.error().text();
    const ValueId out = Add(types.value()[0], ValueKind::kResult);
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

  // Runs the graph, compares the results, and returns the kernels that ran, in order.
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
  int64_t planned_arena() const { return PlanBuffers(graph_, OpTable::BuiltIn()).arena_bytes; }
  Graph& graph() { return graph_; }

 private:
  ValueId Add(TensorType type, ValueKind kind) {
    const std::string name = "v" + std::to_string(graph_.values.size());
    return graph_.AddValue({name, std::move(type), kind, {}, kNone});
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

}  // namespace metadist
