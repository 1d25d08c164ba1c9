// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "planner/rules/instance/instantiate.h"
#include "planner/rules/search/discover.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist::testing {
namespace {

// A sum of products, whose rule is known: a label of the output cuts the dims it names, any other
// label leaves partial sums, and a sum passes through each operand.
struct Equation {
  std::vector<std::string> operands;
  std::string output;
  std::map<char, int64_t> sizes;

  std::string text() const {
    std::string all;
    for (const std::string& operand : operands) all += (all.empty() ? "" : ",") + operand;
    return all + "->" + output;
  }
};

Equation Draw(std::mt19937_64& random) {
  constexpr int64_t kSizes[] = {4, 6, 8, 9, 12};
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  Equation drawn;
  std::string labels = "ijklm";
  labels.resize(2 + below(4));
  for (const char label : labels) drawn.sizes[label] = kSizes[below(std::size(kSizes))];
  std::set<char> used;
  for (size_t operand = 0, count = 1 + below(3); operand < count; ++operand) {
    std::shuffle(labels.begin(), labels.end(), random);
    drawn.operands.push_back(labels.substr(0, 1 + below(std::min<size_t>(labels.size(), 4))));
    used.insert(drawn.operands.back().begin(), drawn.operands.back().end());
  }
  for (const char label : used)
    if (below(2) == 0) drawn.output += label;
  std::shuffle(drawn.output.begin(), drawn.output.end(), random);
  return drawn;
}

// A factor as text: dims of inputs, dim of the output or the reduction.
std::string Spelt(const std::vector<std::pair<int, int>>& inputs, int output) {
  std::string text;
  for (const auto& [tensor, dim] : inputs)
    text += std::to_string(tensor) + "." + std::to_string(dim) + " ";
  return text + (output < 0 ? "SUM" : "-> " + std::to_string(output));
}

std::set<std::string> Known(const Equation& equation) {
  std::set<std::string> all;
  for (const auto& [label, size] : equation.sizes) {
    std::vector<std::pair<int, int>> inputs;
    for (size_t o = 0; o < equation.operands.size(); ++o) {
      const size_t at = equation.operands[o].find(label);
      if (at != std::string::npos) inputs.emplace_back(static_cast<int>(o), static_cast<int>(at));
    }
    const size_t out = equation.output.find(label);
    if (!inputs.empty())
      all.insert(Spelt(inputs, out == std::string::npos ? -1 : static_cast<int>(out)));
  }
  return all;
}

std::set<std::string> Found(const Rule& rule) {
  std::set<std::string> all;
  for (const Factor& factor : rule.factors) {
    std::vector<std::pair<int, int>> inputs;
    for (const Cut& cut : factor.inputs) inputs.emplace_back(cut.tensor, cut.dim);
    std::sort(inputs.begin(), inputs.end());
    const bool sum = factor.reductions == std::map<int, ReduceOp>{{0, ReduceOp::kSum}};
    if (sum == factor.outputs.empty())
      all.insert(Spelt(inputs, sum ? -1 : factor.outputs.at(0).dim));
    else
      all.insert("unexpected: " + factor.name);
  }
  return all;
}

TEST(RandomEinsum, FoundEqualsKnown) {
  std::mt19937_64 random(20261122);
  const OpDef* op = OpTable::BuiltIn().Find("", "Einsum");
  for (int i = 0; i < 200; ++i) {
    const Equation equation = Draw(random);
    OpExample example;
    example.attributes.set("equation", equation.text());
    for (const std::string& operand : equation.operands) {
      Shape shape;
      for (const char label : operand) shape.push_back(equation.sizes.at(label));
      example.inputs.push_back({.type = {ElementType::kF32, shape}});
    }
    const ExampleCall call(*op, example);
    const SymbolicRule found = Discover(call.call);
    EXPECT_EQ(Known(equation), Found(Instantiate(found, call.call)))
        << equation.text() << ": " << found.text;
    std::set<std::vector<int>> sums;
    for (const PassThrough& pass : found.pass_through)
      if (pass.op == ReduceOp::kSum) sums.insert(pass.inputs);
    std::set<std::vector<int>> each;
    for (size_t o = 0; o < equation.operands.size(); ++o) each.insert({static_cast<int>(o)});
    EXPECT_EQ(each, sums) << equation.text() << ": " << found.text;
  }
}

}  // namespace
}  // namespace metadist::testing
