// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "planner/rules/search/discover.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist::testing {
namespace {

const char* const kGolden = METADIST_SOURCE_DIR "/tests/planner/rules/rules.golden";

// The factors that require pieces of equal size, which the notation does not show.
std::string EvenText(const SymbolicRule& found) {
  std::string names;
  for (const SymbolicFactor& factor : found.factors)
    if (factor.even_only) names += (names.empty() ? "" : ",") + factor.name;
  return names.empty() ? "" : fmt::format(" even={{{}}}", names);
}

// The discovered rule of every example of every operator equals the reviewed one. If
// METADIST_UPDATE_GOLDENS is set, the file is rewritten; review the diff.
TEST(Discover, RulesOfAllExamplesEqualTheGolden) {
  std::string text;
  for (const OpDef* op : OpTable::BuiltIn().all()) {
    int index = 0;
    for (const auto& example : CallsOf(*op)) {
      const SymbolicRule found = Discover(example->call);
      text += fmt::format("{}.{} {}\n    {}{}{}\n",
                          op->name,
                          index++,
                          InputsText(example->call),
                          found.text,
                          EvenText(found),
                          found.reason.empty() ? "" : "   # " + found.reason);
      if (std::getenv("METADIST_SHOW_COST") != nullptr)
        fmt::print("{}.{} {:.2f} ms, {} executions, {} kernel runs  {}\n",
                   op->name,
                   index - 1,
                   found.seconds * 1e3,
                   found.executions,
                   found.kernel_runs,
                   found.text);
    }
  }
  if (std::getenv("METADIST_UPDATE_GOLDENS") != nullptr) std::ofstream(kGolden) << text;
  std::ifstream file(kGolden);
  std::stringstream found(text);
  std::string expected, line;
  while (std::getline(found, line)) {
    ASSERT_TRUE(std::getline(file, expected)) << "not in the golden: " << line;
    ASSERT_EQ(expected, line);
  }
  EXPECT_FALSE(std::getline(file, expected)) << "only in the golden: " << expected;
}

}  // namespace
}  // namespace metadist::testing
