// SPDX-License-Identifier: Apache-2.0
#include "planner/search/given_choice.h"

#include <gtest/gtest.h>

#include <memory>

namespace metadist {
namespace {

Problem Two() {
  Problem problem;
  problem.nodes = {{{1, kForbiddenFrom}, {}}, {{3, 4}, {}}};
  problem.edges.push_back(
      {1,
       0,
       std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{0, 1, kForbidden, 2})});
  return problem;
}

TEST(GivenChoice, NamesWhatIsForbidden) {
  Problem problem = Two();
  EXPECT_TRUE(CheckAllowed(problem, {0, 0}).ok());
  EXPECT_EQ(CheckAllowed(problem, {1, 1}).error().text(),
            "choice: strategy 1 of node 0 is forbidden");
  problem.node_names = {"a", "b"};
  EXPECT_EQ(CheckAllowed(problem, {0, 1}).error().text(),
            "choice: strategy 1 of 'b' and strategy 0 of 'a' exclude each other");
}

TEST(GivenChoice, KnowsTies) {
  Problem problem = Two();
  EXPECT_TRUE(KeepsTies(problem, {0, 1}));
  problem.tied = {0, 0};
  EXPECT_FALSE(KeepsTies(problem, {0, 1}));
  EXPECT_TRUE(KeepsTies(problem, {1, 1}));
}

}  // namespace
}  // namespace metadist
