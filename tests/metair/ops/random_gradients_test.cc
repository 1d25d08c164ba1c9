// SPDX-License-Identifier: Apache-2.0
// Gradients of random graphs equal central differences in f64. Every node is an example of some
// operator; its float inputs are elements of earlier values, moved into the range of the inputs
// that the example draws, so that any operator can follow any other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/split_mix.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/gradient.h"
#include "metair/ops/interpret.h"
#include "metair/ops/op_table.h"
#include "tests/metair/ops/in_f64.h"

namespace metadist {
namespace {

constexpr int kGraphs = 30;  // of a seed; METADIST_RANDOM_GRAPHS says another number
constexpr int kMostNodes = 8;
constexpr int kMostElements = 6;  // of an input that are compared
constexpr double kStep = 1e-6;

const OpTable& Ops() { return OpTable::BuiltIn(); }
bool IsF64(const TensorType& type) { return type.element == ElementType::kF64; }

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() { return SplitMixBits(state_ += kSplitMixStep); }
  size_t Below(size_t count) { return static_cast<size_t>(Next() % count); }
  // In [-1, 1).
  double Number() { return static_cast<double>(Next() >> 11) * 0x1p-52 - 1; }

  Tensor Numbers(const Shape& shape) {
    std::vector<double> values(static_cast<size_t>(NumElements(shape)));
    for (double& v : values) v = Number();
    return Tensor::Of<double>(shape, values);
  }

 private:
  uint64_t state_;
};

// An example of an operator, in f64, and inputs for it.
struct Step {
  const OpDef* op = nullptr;
  OpExample example;
  std::vector<Tensor> constants;
  OpCall call;
  std::vector<Tensor> inputs;
};

// Whether the gradients of all float inputs are known, other than of those that never are weights.
bool IsDifferentiable(const OpCall& call) {
  GraphBuilder b("call");
  const std::vector<ValueId> outputs = b.AddCall(call, "call");
  if (b.failed()) return false;
  std::vector<std::pair<ValueId, ValueId>> of;
  for (const ValueId id : outputs)
    if (IsF64(b.type(id)) && IsKnown(b.shape(id)))
      of.emplace_back(id, b.Constant(Tensor::Zeros(b.type(id))));
  std::vector<ValueId> by;
  size_t place = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.has(i) || call.inputs[i].constant != nullptr) continue;
    const ValueId id = b.graph().inputs[place++];
    if (IsF64(b.type(id)) && (call.op->untrained >> i & 1) == 0) by.push_back(id);
  }
  return !of.empty() && !by.empty() && AddGradients(b, Ops(), of, by).ok();
}

// Every operator's examples that can be differentiated. MaxUnpool may write two values to one
// place.
std::vector<Step> AllSteps() {
  std::vector<Step> out;
  for (const OpDef* op : Ops().all()) {
    if (op->examples == nullptr || op->name == "MaxUnpool") continue;
    for (const OpExample& example : op->examples()) {
      Step step{op, example, ConstantsOf(example), {}, {}};
      step.call = InF64(CallOf(*op, step.example, step.constants));
      if (!IsDifferentiable(step.call)) continue;
      auto inputs = DrawInputs(step.call, 1);
      if (!inputs.ok()) continue;
      step.inputs = std::move(inputs).value();
      out.push_back(std::move(step));
    }
  }
  // The calls refer to their steps, which do not move any more.
  for (Step& step : out) step.call = InF64(CallOf(*step.op, step.example, step.constants));
  return out;
}

const std::vector<Step>& Steps() {
  static const std::vector<Step> steps = AllSteps();
  return steps;
}

// A graph whose only output is one number.
class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : random_(seed), b_("random") {
    for (const Shape& shape : {Shape{5}, Shape{3, 4}})
      pool_.push_back(b_.Input("x", {ElementType::kF64, shape}));
    const size_t nodes = 2 + random_.Below(kMostNodes - 1);
    for (size_t n = 0; n < nodes; ++n) Append(Steps()[random_.Below(Steps().size())]);
    AddSum();
  }

  GraphBuilder& builder() { return b_; }
  ValueId sum() const { return sum_; }
  const std::string& names() const { return names_; }
  Random& random() { return random_; }

 private:
  // Elements of an earlier value, between the least and the largest number of `like`. No two are
  // alike: where elements tie, or do not vary at all, operators have kinks.
  ValueId Elements(const Tensor& like) {
    const Term from(b_, pool_[random_.Below(pool_.size())]);
    std::vector<int64_t> places(static_cast<size_t>(like.size()));
    for (int64_t& place : places)
      place = static_cast<int64_t>(random_.Below(static_cast<size_t>(NumElements(from.shape()))));
    const Term flat = from.Reshaped({NumElements(from.shape())});
    const Term indices(b_, b_.Constant(Tensor::Of<int64_t>(like.shape(), places)));
    const std::vector<double> values = like.ToDoubles();
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    const double half = std::max((*largest - *least) / 2, 1e-3);
    const Term moved = flat.Apply("Gather", {indices}, {{"axis", 0}}).Apply("Tanh");
    const Term apart(b_, b_.Constant(random_.Numbers(like.shape())));
    return (moved * (0.6 * half) + apart * (0.3 * half) + (*least + *largest) / 2).value();
  }

  void Append(const Step& step) {
    Node node;
    node.name = step.op->name;
    node.domain = step.op->domain;
    node.op = step.op->name;
    node.attributes = *step.call.attributes;
    for (size_t i = 0; i < step.call.inputs.size(); ++i) {
      const OpCall::Input& input = step.call.inputs[i];
      const bool fed = input.present && input.constant == nullptr && IsF64(input.type) &&
                       (step.op->untrained >> i & 1) == 0 && step.inputs[i].size() > 0;
      node.inputs.push_back(
          !input.present ? kNone
          : fed          ? Elements(step.inputs[i])
                : b_.Constant(input.constant != nullptr ? *input.constant : step.inputs[i]));
    }
    const std::vector<std::string> outputs(static_cast<size_t>(step.call.num_outputs), "y");
    names_ += (names_.empty() ? "" : ", ") + step.op->name;
    for (const ValueId id : b_.Append(std::move(node), outputs))
      if (!b_.failed() && IsF64(b_.type(id)) && IsKnown(b_.shape(id)) &&
          NumElements(b_.shape(id)) > 0)
        pool_.push_back(id);
  }

  // A weighted sum of the last values.
  void AddSum() {
    const size_t terms = std::min<size_t>(3, pool_.size() - 2);
    for (size_t t = 0; t < terms && !b_.failed(); ++t) {
      const Term value(b_, pool_[pool_.size() - 1 - t]);
      const Term weight(b_, b_.Constant(random_.Numbers(value.shape())));
      const Term part = (value * weight).SumAllBut({}, /*keep=*/false);
      sum_ = sum_ == kNone ? part.value() : (Term(b_, sum_) + part).value();
    }
  }

  Random random_;
  GraphBuilder b_;
  std::vector<ValueId> pool_;
  ValueId sum_ = kNone;
  std::string names_;
};

class RandomGradients : public testing::TestWithParam<int> {
 protected:
  // Returns how many elements were compared.
  int Check(uint64_t seed) {
    RandomGraph random(seed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, random.names()));
    if (random.sum() == kNone) return 0;
    GraphBuilder& b = random.builder();
    b.Output(random.sum());
    const ValueId one = b.Number(1, random.sum());
    const std::vector<ValueId> by = b.graph().inputs;
    const auto gradients = AddGradients(b, Ops(), {{random.sum(), one}}, by);
    EXPECT_TRUE(gradients.ok()) << gradients.error().text();
    if (!gradients.ok()) return 0;
    for (const ValueId id : gradients.value())
      if (id != kNone) b.Output(id);
    const auto graph = b.Done();
    EXPECT_TRUE(graph.ok()) << graph.error().text();
    return graph.ok() ? Compare(graph.value(), gradients.value(), random.random()) : 0;
  }

 private:
  int Compare(const Graph& graph, const std::vector<ValueId>& gradients, Random& random) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs)
      inputs.push_back(random.Numbers(graph.value(id).type.shape));
    const auto run = [&]() -> std::vector<Tensor> {
      auto outputs = Interpret(graph, Ops(), inputs);
      EXPECT_TRUE(outputs.ok()) << outputs.error().text();
      return outputs.ok() ? std::move(outputs).value() : std::vector<Tensor>();
    };
    const std::vector<Tensor> made = run();
    if (made.empty() || !std::isfinite(made[0].ToDoubles()[0])) return 0;
    const double middle = made[0].ToDoubles()[0];
    int compared = 0;
    size_t output = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (gradients[i] == kNone) continue;
      const std::vector<double> gradient = made[output++].ToDoubles();
      const Tensor kept = inputs[i];
      for (int64_t e = 0; e < std::min<int64_t>(kept.size(), kMostElements); ++e) {
        const auto moved = [&](double step) {
          std::vector<double> values = kept.ToDoubles();
          values[static_cast<size_t>(e)] += step;
          inputs[i] = Tensor::Of<double>(kept.shape(), values);
          const std::vector<Tensor> outputs = run();
          return outputs.empty() ? 0 : outputs[0].ToDoubles()[0];
        };
        const double above = (moved(kStep) - middle) / kStep;
        const double below = (middle - moved(-kStep)) / kStep;
        const double slope = (above + below) / 2;
        const double scale = std::max({1.0, std::fabs(slope), std::fabs(middle)});
        // A kink.
        if (!(std::fabs(above - below) <= 1e-2 * scale)) continue;
        EXPECT_NEAR(gradient[static_cast<size_t>(e)], slope, 1e-4 * scale)
            << "input " << i << ", element " << e;
        ++compared;
      }
      inputs[i] = kept;
    }
    return compared;
  }
};

TEST_P(RandomGradients, EqualDifferences) {
  int compared = 0;
  const char* wanted = std::getenv("METADIST_RANDOM_GRAPHS");
  const int graphs = wanted != nullptr ? std::atoi(wanted) : kGraphs;
  for (int g = 0; g < graphs; ++g)
    compared += Check(static_cast<uint64_t>(GetParam()) * 1'000'000 + static_cast<uint64_t>(g));
  EXPECT_GT(compared, 4 * graphs);
}

TEST(RandomGradientsOf, MostOperators) {
  std::set<std::string> names;
  for (const Step& step : Steps()) names.insert(step.op->name);
  EXPECT_GT(names.size(), 120U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGradients, testing::Range(0, 10));

}  // namespace
}  // namespace metadist
