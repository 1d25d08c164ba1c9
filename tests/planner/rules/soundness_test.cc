// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "planner/rules/instance/instantiate.h"
#include "planner/rules/search/discover.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/factor_checks.h"
#include "tests/planner/rules/family_calls.h"
#include "tests/planner/rules/rule_checker.h"

namespace metadist::testing {
namespace {

double Folded(ReduceOp op, double a, double b) {
  return op == ReduceOp::kSum ? a + b : op == ReduceOp::kMax ? std::max(a, b) : std::min(a, b);
}

Tensor Folded(ReduceOp op, const Tensor& a, const Tensor& b) {
  std::vector<double> x = a.ToDoubles();
  const std::vector<double> y = b.ToDoubles();
  for (size_t i = 0; i < x.size(); ++i) x[i] = Folded(op, x[i], y[i]);
  return Tensor::Of<double>(a.shape(), x);
}

// Checks pass-through on new shapes and inputs.
void CheckPassThrough(const std::string& what,
                      const OpCall& sample,
                      const SymbolicRule& found,
                      Generator& random,
                      Tally& tally) {
  for (const PassThrough& pass : found.pass_through)
    for (int attempt = 0; attempt < 3; ++attempt) {
      const auto call = RandomCall(sample, found, {}, 2, attempt, random);
      if (!call) continue;
      const auto one = DrawInputs(*call, random);
      auto two = DrawInputs(*call, random);
      if (!one || !two) continue;
      std::vector<Tensor> other = *one;
      std::vector<Tensor> both = *one;
      for (const int i : pass.inputs) {
        const size_t input = static_cast<size_t>(i);
        other[input] = (*two)[input];
        both[input] = Folded(pass.op, (*one)[input], other[input]);
      }
      const auto x = call->Run(*one);
      const auto y = call->Run(other);
      const auto z = call->Run(both);
      if (!x || !y || !z) continue;
      ++tally.passes;
      for (size_t o = 0; o < z->size(); ++o) {
        const std::vector<double> p = Folded(pass.op, (*x)[o], (*y)[o]).ToDoubles();
        const std::vector<double> q = (*z)[o].ToDoubles();
        double most = 1;
        for (const double v : q)
          if (std::isfinite(v)) most = std::max(most, std::abs(v));
        for (size_t i = 0; i < p.size(); ++i)
          ASSERT_TRUE(std::abs(p[i] - q[i]) <= 1e-9 * most || p[i] == q[i] ||
                      (std::isnan(p[i]) && std::isnan(q[i])) ||
                      (pass.op == ReduceOp::kSum && !(std::isfinite(p[i]) && std::isfinite(q[i]))))
              << what << " " << found.text << " " << Name(pass.op) << " of "
              << fmt::format("{}", fmt::join(pass.inputs, "+"));
      }
    }
}

TEST(Soundness, EveryRuleOfEveryExampleHoldsOnUnseenShapes) {
  Generator random(20240607);
  Tally tally;
  for (const OpDef* op : OpTable::BuiltIn().all())
    for (const auto& example : CallsOf(*op)) {
      const SymbolicRule found = Discover(example->call);
      const std::string what = op->name + " " + InputsText(example->call);
      CheckFactors(what, example->call, found, random, tally);
      CheckPairs(what, example->call, found, random, tally);
      CheckPassThrough(what, example->call, found, random, tally);
    }
  EXPECT_GT(tally.checks, 2000);
  EXPECT_GT(tally.in_blocks, 1000);
  EXPECT_GT(tally.pairs, 200);
  EXPECT_GT(tally.passes, 300);
  RecordProperty("checks", tally.checks);
  RecordProperty("in_blocks", tally.in_blocks);
  RecordProperty("pairs", tally.pairs);
  RecordProperty("passes", tally.passes);
  if (std::getenv("METADIST_SHOW_COST") != nullptr)
    fmt::print("{} checks, {} in blocks, {} pairs, {} passes\n",
               tally.checks,
               tally.in_blocks,
               tally.pairs,
               tally.passes);
}

}  // namespace
}  // namespace metadist::testing
