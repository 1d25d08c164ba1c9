// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/speller.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace metadist {
namespace {

// Reports to the speller the changes that occur if element e depends on positions sources[e].
bool Spell(const std::vector<std::vector<int64_t>>& sources, int bits, Speller& speller) {
  for (int bit = 0; bit < bits; ++bit) {
    for (size_t e = 0; e < sources.size(); ++e)
      for (const int64_t p : sources[e])
        speller.Changed(static_cast<int64_t>(e), (p >> bit & 1) != 0);
    if (!speller.EndBit(bit)) return false;
  }
  return true;
}

TEST(Speller, SpellsOnePositionAnElement) {
  const std::vector<std::vector<int64_t>> sources = {{5}, {0}, {}, {6}, {5}};
  Speller speller(5);
  ASSERT_TRUE(Spell(sources, 3, speller));
  std::map<int64_t, int64_t> found;
  EXPECT_TRUE(speller.ForEach(7, [&](int64_t element, int64_t p) { found[element] = p; }));
  EXPECT_EQ(found, (std::map<int64_t, int64_t>{{0, 5}, {1, 0}, {3, 6}, {4, 5}}));
}

TEST(Speller, RefusesElementsOfSeveralPositions) {
  Speller speller(2);
  EXPECT_FALSE(Spell({{1}, {2, 3}}, 2, speller));
}

TEST(Speller, RefusesWhatIsNotSpeltOut) {
  const auto none = [](int64_t, int64_t) { FAIL(); };
  Speller missed(1);  // changed by bit 0 only
  missed.Changed(0, true);
  ASSERT_TRUE(missed.EndBit(0));
  ASSERT_TRUE(missed.EndBit(1));
  EXPECT_FALSE(missed.ForEach(4, none));
  Speller beyond(1);
  ASSERT_TRUE(Spell({{3}}, 2, beyond));
  EXPECT_FALSE(beyond.ForEach(3, none));
}

}  // namespace
}  // namespace metadist
