// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/site.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace metadist {
namespace {

TEST(Site, TextAndBack) {
  const Site site = {"host/1-2", {0, 3, 17}};
  const Site back = SiteFromText(SiteText(site));
  EXPECT_EQ(back.machine, site.machine);
  EXPECT_EQ(back.cores, site.cores);
  EXPECT_FALSE(ThisSite().machine.empty());
  EXPECT_FALSE(ThisSite().cores.empty());
}

TEST(Site, RanksThatAreBoundHaveACoreEach) {
  const Spread spread = SpreadOf(std::vector<Site>{{"a", {0}}, {"a", {1}}});
  EXPECT_EQ(spread.machines, 1);
  EXPECT_EQ(spread.ranks, 2);
  EXPECT_EQ(spread.cores, 2);
  EXPECT_EQ(spread.turns, 1);
}

TEST(Site, RanksTakeTurnsOnTheFullestMachine) {
  const Site a = {"a", {0, 1, 2, 3}};
  const Site b = {"b", {0, 1}};
  const Spread spread = SpreadOf(std::vector<Site>{a, b, b, b, a});
  EXPECT_EQ(spread.machines, 2);
  EXPECT_EQ(spread.ranks, 3);
  EXPECT_EQ(spread.cores, 4);
  EXPECT_EQ(spread.turns, 2);
}

}  // namespace
}  // namespace metadist
