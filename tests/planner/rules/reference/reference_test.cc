// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "planner/rules/search/discover.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/factor_checks.h"
#include "tests/planner/rules/reference/reference_case.h"
#include "tests/planner/rules/reference/whole_discovery.h"

namespace metadist::testing {
namespace {

class Reference : public ::testing::TestWithParam<ReferenceCase> {};

TEST_P(Reference, RuleIsFound) {
  const ExampleCall example(GetParam().op, GetParam().example);
  const SymbolicRule found = DiscoverWhole(example.call);
  EXPECT_EQ(GetParam().rule, found.text) << found.reason;
  RecordProperty("executions", static_cast<int>(found.executions));
  RecordProperty("kernel_runs", static_cast<int>(found.kernel_runs));
  if (std::getenv("METADIST_SHOW_COST") != nullptr)
    fmt::print("{:4} {:32} {:5} executions {:6} kernel runs {:8.2f} ms  {}\n",
               GetParam().id,
               GetParam().name,
               found.executions,
               found.kernel_runs,
               found.seconds * 1e3,
               found.text);
}

// 5 seeds, or METADIST_REFERENCE_SEEDS.
TEST_P(Reference, RuleDoesNotDependOnTheSeed) {
  const char* many = std::getenv("METADIST_REFERENCE_SEEDS");
  const uint64_t seeds = many == nullptr ? 5 : std::strtoull(many, nullptr, 10);
  const ExampleCall example(GetParam().op, GetParam().example);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const SymbolicRule found = DiscoverWhole(example.call, seed);
    ASSERT_EQ(GetParam().rule, found.text) << "seed " << seed;
  }
}

TEST_P(Reference, FactorsHoldOnUnseenShapes) {
  const ExampleCall example(GetParam().op, GetParam().example);
  SymbolicRule found = DiscoverWhole(example.call);
  std::erase_if(found.factors, [](const auto& one) { return one.composite; });  // rank_run_test.cc
  OpDef stated = GetParam().op;
  if (GetParam().legal != nullptr) stated.domain_of = GetParam().legal;
  const ExampleCall judged(stated, GetParam().example);
  Generator random(7);
  Tally tally;
  CheckFactors(GetParam().name, judged.call, found, random, tally);
  CheckPairs(GetParam().name, judged.call, found, random, tally);
}

// Every factor of a rule can be cut unevenly.
TEST(UnevenPieces, AreFound) {
  for (const ReferenceCase& one : ReferenceCases()) {
    if (one.id != "M15") continue;
    const ExampleCall example(one.op, one.example);
    for (const SymbolicFactor& factor : Discover(example.call).factors)
      EXPECT_FALSE(factor.even_only) << one.name << " " << factor.name;
  }
}

std::string NameOf(const ::testing::TestParamInfo<ReferenceCase>& info) {
  return info.param.id + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Rules, Reference, ::testing::ValuesIn(ReferenceCases()), NameOf);

}  // namespace

}  // namespace metadist::testing
