// SPDX-License-Identifier: Apache-2.0
// The gradient of every operator that has one equals central differences of its kernel in f64.
#include "metair/ops/gradient.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "metair/ir/split_mix.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/interpret.h"
#include "metair/ops/op_table.h"
#include "tests/metair/ops/in_f64.h"

namespace metadist {
namespace {

constexpr double kStep = 1e-5;

// Numbers in [0, 1).
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  double Next() {
    return static_cast<double>(SplitMixBits(state_ += kSplitMixStep) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

bool IsFloat(ElementType element) { return ClassOf(element) == ElementClass::kFloat; }

// Numbers off the grid on which inputs are drawn, where functions have kinks and elements tie.
Tensor Jittered(const Tensor& x, uint64_t seed) {
  Numbers random(seed);
  std::vector<double> values = x.ToDoubles();
  for (double& v : values) v += (v < 0.01 ? 1 : -1) * 0.005 * random.Next();
  return Tensor::Of<double>(x.shape(), values);
}

Tensor Weights(const Shape& shape, uint64_t seed) {
  Numbers random(seed);
  std::vector<double> values(static_cast<size_t>(NumElements(shape)));
  for (double& v : values) v = 2 * random.Next() - 1;
  return Tensor::Of<double>(shape, values);
}

// A call with weights for its float outputs; what is differentiated is their weighted sum.
struct Differentiated {
  Graph graph;                  // outputs: the gradient of each float input
  std::vector<size_t> inputs;   // of the call, by input of the graph
  std::vector<size_t> by;       // float inputs of the call
  std::vector<Tensor> weights;  // by output; Tensor() for integers
};

// weights_only: not by inputs that never hold weights (OpDef::untrained).
Result<Differentiated> Differentiate(const OpCall& call, uint64_t seed, bool weights_only) {
  Differentiated out;
  GraphBuilder b("call");
  const std::vector<ValueId> outputs = b.AddCall(call, "call");
  std::vector<std::pair<ValueId, ValueId>> of;
  for (size_t o = 0; o < outputs.size(); ++o) {
    out.weights.emplace_back();
    // What is rounded to a narrower type shows no differences.
    if (b.failed() || b.type(outputs[o]).element != ElementType::kF64) continue;
    out.weights.back() = Weights(b.shape(outputs[o]), seed + 100 + o);
    const ValueId weight = b.As(b.type(outputs[o]).element, b.Constant(out.weights.back()));
    of.emplace_back(outputs[o], weight);
  }
  std::vector<ValueId> by;
  size_t place = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.has(i) || call.inputs[i].constant != nullptr) continue;
    out.inputs.push_back(i);
    const ValueId id = b.graph().inputs[place++];
    if (!IsFloat(b.type(id).element)) continue;
    if (weights_only && (call.op->untrained >> i & 1) != 0) continue;
    out.by.push_back(i);
    by.push_back(id);
  }
  const std::vector<ValueId> gradients = TRY(AddGradients(b, OpTable::BuiltIn(), of, by));
  for (size_t i = 0; i < by.size(); ++i) {
    const Term like(b, by[i]);
    b.Output(gradients[i] == kNone ? like.Zeros(like.shape()).value() : gradients[i]);
  }
  out.graph = TRY(b.Done());
  return out;
}

// The weighted sum of the outputs.
double Sum(const OpCall& call, const std::vector<Tensor>& inputs, const Differentiated& of) {
  const auto outputs = Evaluate(call, inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.error().text();
  double sum = 0;
  for (size_t o = 0; outputs.ok() && o < of.weights.size(); ++o) {
    if (!of.weights[o].has_data()) continue;
    const std::vector<double> y = outputs.value()[o].ToDoubles();
    const std::vector<double> w = of.weights[o].ToDoubles();
    for (size_t i = 0; i < y.size(); ++i)
      if (std::isfinite(y[i])) sum += y[i] * w[i];
  }
  return sum;
}

// Examples that are refused, though their operator can be differentiated.
const std::vector<std::string> kRefused{"Attention, example 4", "Attention, example 5"};
// Operators that stop the gradient of inputs that never hold weights.
const std::vector<std::string> kStopping{"RoiAlign"};
// Operators of which examples write several values to one place: which one stays is not defined.
const std::vector<std::string> kUndefined{"MaxUnpool"};

bool IsIn(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Compares some elements of every gradient with differences; none where both sides differ (a kink).
void Compare(const OpCall& call, std::vector<Tensor> inputs, uint64_t seed) {
  auto of = Differentiate(call, seed, IsIn(kStopping, call.op->name));
  if (!of.ok()) of = Differentiate(call, seed, /*weights_only=*/true);
  ASSERT_TRUE(of.ok()) << of.error().text();
  std::vector<Tensor> given;
  for (const size_t i : of.value().inputs) given.push_back(inputs[i]);
  const auto gradients = Interpret(of.value().graph, OpTable::BuiltIn(), given);
  ASSERT_TRUE(gradients.ok()) << gradients.error().text();
  const double middle = Sum(call, inputs, of.value());
  for (size_t g = 0; g < of.value().by.size(); ++g) {
    const size_t input = of.value().by[g];
    const std::vector<double> gradient = gradients.value()[g].ToDoubles();
    const Tensor kept = inputs[input];
    const int64_t step = std::max<int64_t>(kept.size() / 60, 1);
    for (int64_t e = 0; e < kept.size(); e += step) {
      const auto moved = [&](double by) {
        std::vector<double> values = kept.ToDoubles();
        values[static_cast<size_t>(e)] += by;
        inputs[input] = Tensor::Of<double>(kept.shape(), values);
        return Sum(call, inputs, of.value());
      };
      const double above = (moved(kStep) - middle) / kStep;
      const double below = (middle - moved(-kStep)) / kStep;
      const double slope = (above + below) / 2;
      const double scale = std::max(1.0, std::fabs(slope));
      if (std::fabs(above - below) > 1e-2 * scale) continue;
      EXPECT_NEAR(gradient[static_cast<size_t>(e)], slope, 1e-5 * scale)
          << "input " << input << ", element " << e << " of " << ShapeText(kept.shape());
    }
    inputs[input] = kept;
  }
}

class Gradient : public testing::TestWithParam<const OpDef*> {};

TEST_P(Gradient, EqualsDifferences) {
  const OpDef& op = *GetParam();
  const std::vector<OpExample> examples = op.examples();
  for (size_t i = 0; i < examples.size(); ++i) {
    const std::string example = fmt::format("{}, example {}", op.name, i);
    SCOPED_TRACE(example);
    const std::vector<Tensor> constants = ConstantsOf(examples[i]);
    const OpCall call = InF64(CallOf(op, examples[i], constants));
    if (op.gradient == nullptr && !op.decompose(call).ok()) continue;
    if (IsIn(kRefused, example)) {
      EXPECT_FALSE(Differentiate(call, 0, /*weights_only=*/true).ok());
      continue;
    }
    for (uint64_t seed = 0; seed < 2; ++seed) {
      auto inputs = DrawInputs(call, seed);
      ASSERT_TRUE(inputs.ok()) << inputs.error().text();
      for (size_t n = 0; n < inputs.value().size(); ++n)
        if (call.has(n) && call.inputs[n].constant == nullptr && IsFloat(call.type(n).element))
          inputs.value()[n] = Jittered(inputs.value()[n], seed + n);
      Compare(call, inputs.value(), seed);
    }
  }
}

// Norms have a corner where all elements are zero or alike: the gradient is finite there.
TEST(GradientOfCorners, IsFinite) {
  const OpTable& ops = OpTable::BuiltIn();
  for (const char* name : {"LpNormalization",
                           "MeanVarianceNormalization",
                           "GlobalLpPool",
                           "LpPool",
                           "ReduceL2",
                           "ReduceLogSumExp",
                           "LayerNormalization",
                           "RMSNormalization"}) {
    const OpDef& op = *ops.Find("", name);
    for (const OpExample& example : op.examples()) {
      SCOPED_TRACE(name);
      const std::vector<Tensor> constants = ConstantsOf(example);
      const OpCall call = InF64(CallOf(op, example, constants));
      const auto of = Differentiate(call, 0, /*weights_only=*/false);
      ASSERT_TRUE(of.ok()) << of.error().text();
      std::vector<Tensor> given;
      for (const size_t i : of.value().inputs) given.push_back(Tensor::Zeros(call.type(i)));
      const auto gradients = Interpret(of.value().graph, ops, given);
      ASSERT_TRUE(gradients.ok()) << gradients.error().text();
      for (const Tensor& gradient : gradients.value())
        for (const double v : gradient.ToDoubles()) ASSERT_TRUE(std::isfinite(v));
    }
  }
}

std::vector<const OpDef*> Differentiable() {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : OpTable::BuiltIn().all())
    if (op->examples != nullptr && !IsIn(kUndefined, op->name) &&
        (op->gradient != nullptr || op->decompose != nullptr))
      ops.push_back(op);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Ops, Gradient, testing::ValuesIn(Differentiable()), [](const auto& info) {
  return info.param->name;
});

}  // namespace
}  // namespace metadist
