// SPDX-License-Identifier: Apache-2.0
// A decomposition computes the same as its operator's kernel: exactly in f64, and within the
// precision of f32 in f32, also far from 0 and at large magnitudes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "metair/ir/verify.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/interpret.h"
#include "metair/ops/op_table.h"

namespace metadist {
namespace {

double LargestFinite(const Tensor& x) {
  double largest = 0;
  for (const double v : x.ToDoubles())
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  return largest;
}

void ExpectClose(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(got.shape(), want.shape());
  const std::vector<double> x = got.ToDoubles(), y = want.ToDoubles();
  const double slack = tolerance * std::max(LargestFinite(want), 1e-300);
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(y[i]) && std::isnan(x[i])) continue;
    if (std::isinf(y[i]) && x[i] == y[i]) continue;
    ASSERT_NEAR(x[i], y[i], slack) << "element " << i;
  }
}

// Sets every float of a call's inputs to f(value).
template <typename F>
void Transform(const OpCall& call, std::vector<Tensor>& inputs, F f) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.has(i) || ClassOf(inputs[i].element()) != ElementClass::kFloat) continue;
    std::vector<double> values = inputs[i].ToDoubles();
    for (double& v : values) v = f(v);
    inputs[i] = Tensor::Of<double>(inputs[i].shape(), values).Cast(inputs[i].element());
  }
}

OpCall In(OpCall call, ElementType element) {
  for (OpCall::Input& input : call.inputs)
    if (input.present && input.constant == nullptr && input.type.element == ElementType::kF32)
      input.type.element = element;
  return call;
}

// Compares the decomposition in `element` with the kernel in f64 on the same numbers.
void Compare(const OpCall& plain,
             ElementType element,
             std::vector<Tensor> inputs,
             double tolerance) {
  const OpCall call = In(plain, element);
  const auto graph = call.op->decompose(call);
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  ASSERT_TRUE(Verify(graph.value()).ok()) << Verify(graph.value()).error().text();
  std::vector<Tensor> given, wide;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.has(i)) {
      wide.push_back(inputs[i]);
      continue;
    }
    given.push_back(inputs[i].Cast(call.type(i).element));
    const bool number = ClassOf(call.type(i).element) == ElementClass::kFloat;
    wide.push_back(number ? given.back().Cast(ElementType::kF64) : given.back());
  }
  const auto whole = Evaluate(In(plain, ElementType::kF64), wide);
  ASSERT_TRUE(whole.ok()) << whole.error().text();
  const auto parts = Interpret(graph.value(), OpTable::BuiltIn(), given);
  ASSERT_TRUE(parts.ok()) << parts.error().text();
  ASSERT_EQ(parts.value().size(), whole.value().size());
  for (size_t o = 0; o < whole.value().size(); ++o) {
    SCOPED_TRACE(fmt::format("output {}", o));
    ExpectClose(parts.value()[o], whole.value()[o], tolerance);
  }
}

class Decomposition : public testing::TestWithParam<const OpDef*> {
 protected:
  template <typename Check>
  void ForEachExample(Check&& check) {
    const OpDef& op = *GetParam();
    const std::vector<OpExample> examples = op.examples();
    int covered = 0;
    for (size_t i = 0; i < examples.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}, example {}", op.name, i));
      const std::vector<Tensor> constants = ConstantsOf(examples[i]);
      const OpCall call = CallOf(op, examples[i], constants);
      if (!op.decompose(call).ok()) continue;
      ++covered;
      for (uint64_t seed = 0; seed < 5; ++seed) {
        auto inputs = DrawInputs(call, seed);
        ASSERT_TRUE(inputs.ok()) << inputs.error().text();
        check(call, inputs.value());
      }
    }
    EXPECT_GT(covered, 0);
  }
};

TEST_P(Decomposition, EqualsTheKernelInF64) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>& inputs) {
    Compare(call, ElementType::kF64, inputs, 1e-12);
  });
}

TEST_P(Decomposition, HoldsFarFromZeroInF32) {
  ForEachExample([](const OpCall& call, std::vector<Tensor> inputs) {
    Transform(call, inputs, [](double x) { return x + 1000; });
    Compare(call, ElementType::kF32, inputs, 2e-3);
  });
}

TEST_P(Decomposition, HoldsAtLargeMagnitudesInF32) {
  ForEachExample([](const OpCall& call, std::vector<Tensor> inputs) {
    Transform(call, inputs, [](double x) { return x * 500; });
    Compare(call, ElementType::kF32, inputs, 2e-3);
  });
}

TEST_P(Decomposition, TakesShortFloats) {
  ForEachExample([](const OpCall& call, const std::vector<Tensor>& inputs) {
    Compare(call, ElementType::kBF16, inputs, 1e-2);
  });
}

// Every fifth number of the first input is NaN.
TEST_P(Decomposition, PassesNaNOn) {
  ForEachExample([](const OpCall& call, std::vector<Tensor> inputs) {
    int count = 0;
    std::vector<Tensor> first{inputs[0]};
    Transform(call, first, [&](double x) {
      return ++count % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : x;
    });
    inputs[0] = first[0];
    Compare(call, ElementType::kF64, inputs, 1e-12);
  });
}

std::vector<const OpDef*> Decomposed() {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : OpTable::BuiltIn().all())
    if (op->decompose != nullptr) ops.push_back(op);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Ops, Decomposition, testing::ValuesIn(Decomposed()), [](const auto& at) {
  return at.param->name;
});

TEST(Decompositions, AreMany) { EXPECT_GE(Decomposed().size(), 19u); }

// Squares of such numbers overflow f32.
TEST(Decompositions, NormsDoNotOverflow) {
  for (const char* name : {"ReduceL2", "LpNormalization", "GlobalLpPool"}) {
    SCOPED_TRACE(name);
    const OpDef& op = *OpTable::BuiltIn().Find("", name);
    const OpExample example = op.examples()[0];
    const std::vector<Tensor> constants = ConstantsOf(example);
    const OpCall call = CallOf(op, example, constants);
    std::vector<Tensor> inputs = DrawInputs(call, 1).value();
    Transform(call, inputs, [](double x) { return x * 1e25; });
    Compare(call, ElementType::kF32, inputs, 1e-5);
  }
}

}  // namespace
}  // namespace metadist
