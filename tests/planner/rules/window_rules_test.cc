// SPDX-License-Identifier: Apache-2.0
// Windows that slide along a dim: the rule found for each kind, and a check of each of its factors
// alone on shapes that discovery did not use.
#include <gtest/gtest.h>

#include "metair/ops/example_parts.h"
#include "planner/rules/instance/instantiate.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/family_calls.h"

namespace metadist::testing {
namespace {

using example::F32;
using List = std::vector<int64_t>;

struct WindowCase {
  const char* name;
  const char* op;
  OpExample example;
  const char* rule;  // without the pass-through clauses
};

// As exporters write it: with the size of the kernel.
OpExample Image(Shape image, Shape kernel, Attributes attributes) {
  attributes.set("kernel_shape", List(kernel.begin() + 2, kernel.end()));
  return {.inputs = {F32(std::move(image)), F32(std::move(kernel))},
          .attributes = std::move(attributes)};
}

OpExample Pooled(Shape image, Attributes attributes) {
  return {.inputs = {F32(std::move(image))}, .attributes = std::move(attributes)};
}

std::vector<WindowCase> Convolutions() {
  const List ones{1, 1, 1, 1};
  const List twos{2, 2};
  return {
      {"Conv3x3Pad1",
       "Conv",
       Image({2, 4, 14, 14}, {6, 4, 3, 3}, {{"pads", ones}}),
       "([a,b,c,d],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:1/1,d:1/1}"},
      {"Conv3x3Unpadded",
       "Conv",
       Image({2, 4, 14, 14}, {6, 4, 3, 3}, {}),
       "([a,b,c,d],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:0/2,d:0/2}"},
      {"Conv5ThatDoesNotStateItsKernel",
       "Conv",
       {.inputs = {F32({2, 4, 30}), F32({6, 4, 5})}},
       "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:0/4}"},
      {"Conv5x5Stride2Pad2",
       "Conv",
       Image({2, 4, 28, 28}, {6, 4, 5, 5}, {{"pads", List{2, 2, 2, 2}}, {"strides", twos}}),
       "([a,b,(c 2),(d 2)],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:2/1,d:2/1}"},
      {"Conv3x3Stride2Pad1OddSize",
       "Conv",
       Image({2, 4, 29, 15}, {6, 4, 3, 3}, {{"pads", ones}, {"strides", twos}}),
       "([a,b,(c 2),(d 2)],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:1/0,d:1/0}"},
      {"Conv7x7Stride2Pad3",
       "Conv",
       Image({2, 3, 32, 32}, {6, 3, 7, 7}, {{"pads", List{3, 3, 3, 3}}, {"strides", twos}}),
       "([a,b,(c 2),(d 2)],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:3/2,d:3/2}"},
      {"Conv3x3Dilation2",
       "Conv",
       Image({2, 4, 14, 14}, {6, 4, 3, 3}, {{"pads", List{2, 2, 2, 2}}, {"dilations", twos}}),
       "([a,b,c,d],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:2/2,d:2/2}"},
      {"Conv3x3Stride3",
       "Conv",
       Image({2, 4, 16, 16}, {6, 4, 3, 3}, {{"pads", ones}, {"strides", List{3, 3}}}),
       "([a,b,(c 3),(d 3)],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:1/0,d:1/0}"},
      {"Conv1x1Stride2",
       "Conv",
       Image({2, 4, 15, 14}, {6, 4, 1, 1}, {{"strides", twos}}),
       "([a,b,(c 2),(d 2)],[e,b,_,_])->([a,e,c,d]) reduction={b}"},
      {"ConvGrouped",
       "Conv",
       Image({2, 6, 14, 14}, {8, 3, 3, 3}, {{"pads", ones}, {"group", 2}}),
       "([a,(b c),d,e],[(b f),c,_,_])->([a,(b f),d,e]) reduction={c} attr={b} "
       "halo={d:1/1,e:1/1}"},
      {"ConvDepthwise",
       "Conv",
       Image({2, 6, 14, 14}, {6, 1, 3, 3}, {{"pads", ones}, {"group", 6}}),
       "([a,b,c,d],[b,_,_,_])->([a,b,c,d]) attr={b} halo={c:1/1,d:1/1}"},
      {"Conv1D",
       "Conv",
       Image({2, 4, 30}, {6, 4, 3}, {{"pads", List{1, 1}}}),
       "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:1/1}"},
      {"Conv3D",
       "Conv",
       Image({1, 2, 8, 9, 10}, {3, 2, 3, 3, 3}, {{"pads", List{1, 1, 1, 1, 1, 1}}}),
       "([_,a,b,c,d],[e,a,_,_,_])->([_,e,b,c,d]) reduction={a} halo={b:1/1,c:1/1,d:1/1}"},
      {"ConvSameUpper",
       "Conv",
       Image({2, 4, 14, 14}, {6, 4, 3, 3}, {{"auto_pad", "SAME_UPPER"}}),
       "([a,b,c,d],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:1/1,d:1/1} crop={c:1/1,d:1/1}"},
      {"ConvSameLowerEvenKernel",
       "Conv",
       Image({2, 4, 14, 14}, {6, 4, 4, 4}, {{"auto_pad", "SAME_LOWER"}}),
       "([a,b,c,d],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:2/1,d:2/1} crop={c:2/1,d:2/1}"},
      {"ConvUnequalPadding",
       "Conv",
       Image({2, 4, 30}, {6, 4, 4}, {{"pads", List{1, 2}}}),
       "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:1/2}"},
  };
}

std::vector<WindowCase> Transposed() {
  const List ones{1, 1, 1, 1};
  const List twos{2, 2};
  return {
      {"ConvTranspose2x2Stride2",
       "ConvTranspose",
       Image({2, 4, 7, 7}, {4, 6, 2, 2}, {{"strides", twos}}),
       "([a,b,c,d],[b,e,f,g])->([a,e,(c f),(d g)]) reduction={b} attr={f,g}"},
      {"ConvTranspose4x4Stride2Pad1",
       "ConvTranspose",
       Image({2, 4, 7, 7}, {4, 6, 4, 4}, {{"pads", ones}, {"strides", twos}}),
       "([a,b,c,d],[b,e,_,_])->([a,e,(c 2),(d 2)]) reduction={b} halo={c:1/1,d:1/1} "
       "crop={c:2/2,d:2/2}"},
      {"ConvTransposeFarLongerThanItsInput",
       "ConvTranspose",
       {.inputs = {F32({1, 1, 3, 3}), F32({1, 2, 3, 3})},
        .attributes = {{"strides", List{3, 2}}, {"output_padding", List{1, 1}}}},
       "([_,_,a,_],[_,b,_,c])->([_,b,(a 3),c]) halo={c:4/0} crop={a:0/1,c:4/5}"},
      {"ConvTranspose3x3Pad1",
       "ConvTranspose",
       Image({2, 4, 7, 7}, {4, 6, 3, 3}, {{"pads", ones}}),
       "([a,b,c,d],[b,e,_,_])->([a,e,c,d]) reduction={b} halo={c:1/1,d:1/1} crop={c:1/1,d:1/1}"},
      {"ConvTranspose3x3",
       "ConvTranspose",
       Image({2, 4, 7, 7}, {4, 6, 3, 3}, {}),
       "([a,b,c,d],[b,e,_,_])->([a,e,c,d]) reduction={b} halo={c:2/0,d:2/0} crop={c:2/2,d:2/2}"},
  };
}

std::vector<WindowCase> Others() {
  const List threes{3, 3};
  const List ones{1, 1, 1, 1};
  const List twos{2, 2};
  const auto pool = [&](Attributes attributes) {
    attributes.set("kernel_shape", threes);
    return Pooled({2, 3, 14, 14}, attributes);
  };
  return {
      {"MaxPool3x3Pad1",
       "MaxPool",
       pool({{"pads", ones}}),
       "([a,b,c,d])->([a,b,c,d]) halo={c:1/1,d:1/1}"},
      {"MaxPool3x3Pad1Stride2",
       "MaxPool",
       pool({{"pads", ones}, {"strides", twos}}),
       "([a,b,(c 2),(d 2)])->([a,b,c,d]) halo={c:1/0,d:1/0}"},
      {"MaxPool3x3Stride2Ceil",
       "MaxPool",
       pool({{"ceil_mode", 1}, {"strides", twos}}),
       "([a,b,(c 2),(d 2)])->([a,b,c,d]) halo={c:0/1,d:0/1} least={c:2,d:2}"},
      {"AveragePool3x3Pad1",
       "AveragePool",
       pool({{"pads", ones}}),
       "([a,b,c,d])->([a,b,c,d]) halo={c:1/1,d:1/1}"},
      {"AveragePoolCountsPadding",
       "AveragePool",
       pool({{"pads", ones}, {"count_include_pad", 1}}),
       "([a,b,c,d])->([a,b,c,d]) halo={c:1/1,d:1/1}"},
      {"AveragePoolCeilCountsPadding",
       "AveragePool",
       pool({{"pads", ones}, {"count_include_pad", 1}, {"ceil_mode", 1}, {"strides", twos}}),
       "([a,b,(c 2),(d 2)])->([a,b,c,d]) halo={c:1/0,d:1/0} least={c:2,d:2}"},
      {"LpPoolPad1",
       "LpPool",
       pool({{"pads", ones}}),
       "([a,b,c,d])->([a,b,c,d]) halo={c:1/1,d:1/1}"},
      {"LocalResponse",
       "LRN",
       Pooled({2, 9, 3, 3}, {{"size", 3}}),
       "([a,b,c,d])->([a,b,c,d]) halo={b:1/1} crop={b:1/1}"},
  };
}

std::vector<WindowCase> Cases() {
  std::vector<WindowCase> cases = Convolutions();
  for (const auto& more : {Transposed(), Others()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

class Windows : public ::testing::TestWithParam<WindowCase> {
 protected:
  const OpDef& op() const { return *OpTable::BuiltIn().Find("", GetParam().op); }
};

std::string WithoutPassThrough(const std::string& text) {
  size_t end = text.size();
  for (const char* clause : {" linear=", " max=", " min="}) end = std::min(end, text.find(clause));
  return text.substr(0, end);
}

TEST_P(Windows, RuleIsFound) {
  const ExampleCall sample(op(), GetParam().example);
  const SymbolicRule found = Discover(sample.call);
  EXPECT_EQ(WithoutPassThrough(found.text), GetParam().rule);
  for (const uint64_t seed : {1, 2, 3}) EXPECT_EQ(found.text, Discover(sample.call, {seed}).text);
  if (std::getenv("METADIST_SHOW_COST") != nullptr)
    std::printf("%.2f ms, %d executions, %d kernel runs: %s\n",
                found.seconds * 1e3,
                static_cast<int>(found.executions),
                static_cast<int>(found.kernel_runs),
                found.text.c_str());
}

bool Slides(const Factor& factor) {
  for (const auto* cuts : {&factor.inputs, &factor.outputs})
    for (const Cut& cut : *cuts)
      if (!cut.halo.empty()) return true;
  return false;
}

TEST_P(Windows, EveryFactorHoldsOnUnseenShapes) {
  const ExampleCall sample(op(), GetParam().example);
  const SymbolicRule found = Discover(sample.call);
  Generator random(4);
  for (const SymbolicFactor& factor : found.factors)
    for (const int64_t ranks : {2, 3, 4}) {
      if (factor.inputs.empty() || !factor.inputs[0].window) continue;
      int even = 0;
      int uneven = 0;
      std::vector<int64_t> sizes = found.atoms;
      for (int64_t size = 2; size < 60 && even + uneven < 12; ++size) {
        for (const int atom : factor.atoms) sizes[static_cast<size_t>(atom)] = size;
        const auto call = CallAt(sample.call, found, sizes);
        if (!call) continue;
        const Rule rule = Instantiate(found, call->call());
        const auto at = std::find_if(rule.factors.begin(),
                                     rule.factors.end(),
                                     [&](const Factor& f) { return f.name == factor.name; });
        if (at == rule.factors.end() || at->groups() < ranks * at->least_piece) continue;
        if ((at->even_only && at->groups() % ranks != 0) || !HasRoom(*at, ranks)) continue;
        const auto inputs = DrawInputs(*call, random);
        ASSERT_TRUE(inputs.has_value());
        const auto whole = call->Run(*inputs);
        ASSERT_TRUE(whole.has_value());
        ASSERT_EQ("", RuleChecker::Check(*call, {{&*at, ranks}}, *inputs, *whole))
            << found.text << " factor " << factor.name << " on " << ranks << ", size " << size;
        ++(at->groups() % ranks == 0 ? even : uneven);
      }
      EXPECT_GT(even, 0) << factor.name << " on " << ranks;
      EXPECT_GT(uneven, 0) << factor.name << " on " << ranks;
    }
}

// The rule checker detects a halo that is too small by one, and padding that inner ranks keep.
TEST_P(Windows, AlmostRightFactorsAreToldFromRightOnes) {
  const ExampleCall sample(op(), GetParam().example);
  const SymbolicRule found = Discover(sample.call);
  const OwnedCall call(sample.call);
  const Rule rule = Instantiate(found, sample.call);
  Generator random(5);
  const auto inputs = DrawInputs(call, random);
  const auto whole = call.Run(*inputs);
  for (const Factor& factor : rule.factors) {
    if (!Slides(factor) || !HasRoom(factor, 2)) continue;
    const auto check = [&](const Factor& changed) {
      return RuleChecker::Check(call, {{&changed, 2}}, *inputs, *whole);
    };
    ASSERT_EQ("", check(factor));
    for (const bool before : {true, false}) {
      Factor less = factor;
      int64_t& width = before ? less.inputs[0].halo.before : less.inputs[0].halo.behind;
      if (width-- > 0) {
        EXPECT_NE("", check(less)) << factor.name;
      }
    }
    // With a stride, the padding kept may be too small for one more output.
    for (size_t e = 0; e < factor.literals.size() && factor.inputs[0].parts[0].unit == 1; ++e) {
      Factor kept = factor;
      kept.literals.erase(kept.literals.begin() + static_cast<int64_t>(e));
      EXPECT_NE("", check(kept)) << factor.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Windows, ::testing::ValuesIn(Cases()), [](const auto& info) {
  return std::string(info.param.name);
});

}  // namespace
}  // namespace metadist::testing
