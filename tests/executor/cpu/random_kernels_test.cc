// SPDX-License-Identifier: Apache-2.0
// Kernels that draw random numbers give the reference kernel's bits, whichever part they compute.
#include <gtest/gtest.h>

#include "metair/ops/example_parts.h"
#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

using List = std::vector<int64_t>;

void ExpectEqualBits(const char* name,
                     const std::vector<Tensor>& inputs,
                     const Attributes& attributes,
                     int num_outputs = 1) {
  OpCall call;
  call.op = OpTable::BuiltIn().Find("", name);
  call.attributes = &attributes;
  call.num_outputs = num_outputs;
  for (const Tensor& input : inputs) {
    const bool constant = input.element() == ElementType::kBool;
    call.inputs.push_back({input.has_data(), input.type(), constant ? &input : nullptr});
  }
  std::string kernel;
  const std::vector<Tensor> got = RunKernel(call, inputs, &kernel);
  EXPECT_EQ(kernel, "lines") << name;
  const auto expected = Evaluate(call, inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().text();
  for (size_t o = 0; o < got.size(); ++o)
    EXPECT_TRUE(Identical(got[o], expected.value()[o])) << name << " output " << o;
}

const Tensor kKey = Tensor::Of<int64_t>({2}, {123456789, 4000000000});

TEST(RandomKernels, GiveTheReferencesBits) {
  for (const int64_t length : {1, 2, 31, 32, 127, 128, 129, 300}) {
    for (const int64_t first : {0, 1, 77}) {
      const Attributes placed =
          Attributes{{"shape", List{3, length}}, {"start", List{5, first}}, {"low", -0.7}};
      ExpectEqualBits("RandomUniform", {{}, {}, {}, kKey}, placed);
      ExpectEqualBits("RandomNormal", {{}, {}, {}, kKey}, placed);
      const Tensor x =
          Evaluate({OpTable::BuiltIn().Find("", "RandomNormal"), &placed, {}}, {}).value()[0];
      for (const float ratio : {0.0F, 0.3F, 0.5F, 1.0F}) {
        const std::vector<Tensor> inputs{
            x, Tensor::Scalar<float>(ratio), Tensor::Scalar<bool>(true), kKey};
        ExpectEqualBits("Dropout", inputs, {{"start", List{5, first}}}, 2);
      }
    }
  }
}

TEST(RandomKernels, ASeedIsAsGoodAsAKey) {
  ExpectEqualBits("RandomNormal", {}, {{"shape", List{2, 3, 40}}, {"seed", 2.5}});
  const Tensor x = Tensor::Of<float>({50}, std::vector<float>(50, 1));
  ExpectEqualBits("Dropout", {x, {}, Tensor::Scalar<bool>(true)}, {{"seed", 7}}, 2);
}

}  // namespace
}  // namespace metadist::cpu
