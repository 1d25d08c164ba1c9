// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/position_decoder.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace metadist {
namespace {

// Reports to the decoder what changes if element e depends on positions sources[e].
bool Decode(const std::vector<std::vector<int64_t>>& sources, int bits, PositionDecoder& decoder) {
  for (int bit = 0; bit < bits; ++bit) {
    for (size_t e = 0; e < sources.size(); ++e)
      for (const int64_t p : sources[e])
        decoder.Changed(static_cast<int64_t>(e), (p >> bit & 1) != 0);
    if (!decoder.EndBit(bit)) return false;
  }
  return true;
}

TEST(PositionDecoder, SpellsOnePositionAnElement) {
  const std::vector<std::vector<int64_t>> sources = {{5}, {0}, {}, {6}, {5}};
  PositionDecoder decoder(5);
  ASSERT_TRUE(Decode(sources, 3, decoder));
  std::map<int64_t, int64_t> found;
  EXPECT_TRUE(decoder.ForEach(7, [&](int64_t element, int64_t p) { found[element] = p; }));
  EXPECT_EQ(found, (std::map<int64_t, int64_t>{{0, 5}, {1, 0}, {3, 6}, {4, 5}}));
}

TEST(PositionDecoder, RefusesElementsOfSeveralPositions) {
  PositionDecoder decoder(2);
  EXPECT_FALSE(Decode({{1}, {2, 3}}, 2, decoder));
}

TEST(PositionDecoder, RefusesWhatIsNotSpeltOut) {
  const auto none = [](int64_t, int64_t) { FAIL(); };
  PositionDecoder missed(1);  // changed by bit 0 only
  missed.Changed(0, true);
  ASSERT_TRUE(missed.EndBit(0));
  ASSERT_TRUE(missed.EndBit(1));
  EXPECT_FALSE(missed.ForEach(4, none));
  PositionDecoder beyond(1);
  ASSERT_TRUE(Decode({{3}}, 2, beyond));
  EXPECT_FALSE(beyond.ForEach(3, none));
}

}  // namespace
}  // namespace metadist
