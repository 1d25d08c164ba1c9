// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers: which numbers they draw, and that a part of an array has the
// same numbers as in the whole.
#include "metair/ops/drawing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "metair/ops/example_parts.h"
#include "metair/ops/op_table.h"

namespace metadist {
namespace {

using List = std::vector<int64_t>;

std::vector<Tensor> Evaluated(const char* name,
                              const std::vector<Tensor>& inputs,
                              const Attributes& attributes,
                              int outputs = 1) {
  OpCall call;
  call.op = OpTable::BuiltIn().Find("", name);
  call.attributes = &attributes;
  call.num_outputs = outputs;
  for (const Tensor& input : inputs)
    call.inputs.push_back({input.has_data(), input.type(), input.has_data() ? &input : nullptr});
  auto done = Evaluate(call, inputs);
  EXPECT_TRUE(done.ok()) << done.error().text();
  return std::move(done).value();
}

Tensor Floats(const Shape& shape, double value) {
  return Tensor::Of<float>(
      shape,
      std::vector<float>(static_cast<size_t>(NumElements(shape)), static_cast<float>(value)));
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments MomentsOf(const Tensor& x) {
  Moments m;
  const auto count = static_cast<double>(x.size());
  for (const double v : x.ToDoubles()) m.mean += v / count;
  for (const double v : x.ToDoubles()) m.variance += (v - m.mean) * (v - m.mean) / count;
  return m;
}

const Tensor kTraining = Tensor::Scalar<bool>(true);
const Tensor kKey = Tensor::Of<int64_t>({2}, {17, 4});

TEST(Drawing, NormalsHaveMeanAndScale) {
  const Moments m = MomentsOf(
      Evaluated("RandomNormal", {}, {{"shape", List{300, 400}}, {"mean", 3.0}, {"scale", 0.5}})[0]);
  EXPECT_NEAR(m.mean, 3, 0.01);
  EXPECT_NEAR(m.variance, 0.25, 0.01);
}

TEST(Drawing, UniformsFillTheirRange) {
  const Tensor x =
      Evaluated("RandomUniform", {}, {{"shape", List{300, 400}}, {"low", -1.0}, {"high", 3.0}})[0];
  for (const double v : x.ToDoubles()) ASSERT_TRUE(v >= -1 && v < 3) << v;
  EXPECT_NEAR(MomentsOf(x).mean, 1, 0.02);
  EXPECT_NEAR(MomentsOf(x).variance, 16 / 12.0, 0.02);
}

TEST(Drawing, NumbersOfAnyShapeLikeAreThoseOfTheShape) {
  for (const char* name : {"RandomNormal", "RandomUniform"}) {
    const Tensor a = Evaluated(name, {}, {{"shape", List{4, 5}}, {"seed", 2.5}})[0];
    const Tensor b =
        Evaluated((std::string(name) + "Like").c_str(), {Floats({4, 5}, 1)}, {{"seed", 2.5}})[0];
    EXPECT_TRUE(Identical(a, b)) << name;
    const Tensor other = Evaluated(name, {}, {{"shape", List{4, 5}}, {"seed", 2.6}})[0];
    EXPECT_FALSE(Identical(a, other)) << name;
  }
}

TEST(Drawing, BernoulliFollowsItsProbabilities) {
  for (const double p : {0.0, 0.1, 0.7, 1.0}) {
    const Moments m = MomentsOf(Evaluated("Bernoulli", {Floats({300, 400}, p)}, {})[0]);
    EXPECT_NEAR(m.mean, p, p * (1 - p) * 0.03 + 1e-9) << p;
  }
}

TEST(Drawing, DropoutKeepsTheMeanAndTellsWhatItKept) {
  const Tensor x = Floats({300, 400}, 2);
  const auto out = Evaluated("Dropout", {x, Floats({}, 0.25), kTraining, kKey}, {}, 2);
  const std::vector<double> y = out[0].ToDoubles();
  const std::vector<int64_t> mask = out[1].ToInts();
  double kept = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y[i], mask[i] != 0 ? static_cast<double>(static_cast<float>(2 / 0.75)) : 0);
    kept += static_cast<double>(mask[i]) / 120000;
  }
  EXPECT_NEAR(kept, 0.75, 0.01);
}

TEST(Drawing, DropoutWithoutRatioOrTrainingKeepsEverything) {
  const Tensor x = Evaluated("RandomNormal", {}, {{"shape", List{6, 7}}})[0];
  const auto none = Evaluated("Dropout", {x, Floats({}, 0), kTraining, kKey}, {}, 2);
  EXPECT_TRUE(Identical(none[0], x));
  const auto tested =
      Evaluated("Dropout", {x, Floats({}, 0.5), Tensor::Scalar<bool>(false)}, {}, 2);
  EXPECT_TRUE(Identical(tested[0], x));
  for (const Tensor* mask : {&none[1], &tested[1]}) EXPECT_NEAR(MomentsOf(*mask).mean, 1, 1e-9);
  const auto all = Evaluated("Dropout", {x, Floats({}, 1), kTraining, kKey}, {}, 2);
  EXPECT_EQ(MomentsOf(all[0]).variance, 0);
  EXPECT_EQ(MomentsOf(all[1]).mean, 0);
}

TEST(Drawing, ClassesFollowTheirProbabilities) {
  const Tensor x =
      Tensor::Of<float>({2, 3}, {std::log(0.2F), std::log(0.3F), std::log(0.5F), -1000, 5, -1000});
  const Tensor y = Evaluated("Multinomial", {x}, {{"sample_size", 50000}, {"dtype", 7}})[0];
  double seen[2][3] = {};
  const std::vector<int64_t> classes = y.ToInts();
  for (size_t i = 0; i < classes.size(); ++i) seen[i / 50000][classes[i]] += 1.0 / 50000;
  EXPECT_NEAR(seen[0][0], 0.2, 0.01);
  EXPECT_NEAR(seen[0][1], 0.3, 0.01);
  EXPECT_NEAR(seen[0][2], 0.5, 0.01);
  EXPECT_NEAR(seen[1][1], 1, 1e-9);
}

TEST(Drawing, APartHoldsWhatTheWholeHolds) {
  const Tensor whole = Evaluated("RandomNormal", {{}, {}, {}, kKey}, {{"shape", List{6, 9}}})[0];
  const Tensor part = Evaluated(
      "RandomNormal", {{}, {}, {}, kKey}, {{"shape", List{2, 5}}, {"start", List{3, 4}}})[0];
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t c = 0; c < 5; ++c)
      EXPECT_EQ(part.ToDoubles()[static_cast<size_t>(r * 5 + c)],
                whole.ToDoubles()[static_cast<size_t>((r + 3) * 9 + c + 4)]);
}

TEST(Drawing, WhatCannotBeDrawnIsSaid) {
  const auto refusal =
      [](const char* name, const std::vector<Tensor>& inputs, const Attributes& with) {
        OpCall call;
        call.op = OpTable::BuiltIn().Find("", name);
        call.attributes = &with;
        for (const Tensor& input : inputs)
          call.inputs.push_back({input.has_data(), input.type(), nullptr});
        auto types = InferTypes(call);
        return types.ok() ? "" : types.error().message;
      };
  EXPECT_EQ(refusal("RandomNormal", {}, {}), "attribute shape is missing");
  EXPECT_EQ(refusal("RandomNormal", {}, {{"shape", List{2}}, {"dtype", 7}}),
            "floats are drawn, got dtype i64");
  EXPECT_EQ(refusal("RandomNormal", {}, {{"shape", List{2}}, {"start", List{0, 0}}}),
            "start must have 1 entries, got 2");
  EXPECT_EQ(refusal("Bernoulli", {Floats({2}, 0), {}, {}, Tensor::Of<int64_t>({1}, {3})}, {}),
            "input 3 must hold the two integers of a key");
  EXPECT_EQ(refusal("Multinomial", {Floats({2, 0}, 0)}, {}), "there is no class to draw");
  EXPECT_EQ(refusal("Multinomial", {Floats({2, 3}, 0)}, {{"dtype", 1}}),
            "classes are integers, got dtype f32");
}

}  // namespace
}  // namespace metadist
