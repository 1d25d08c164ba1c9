// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/permute.h"

#include <gtest/gtest.h>

#include <set>

namespace metadist {
namespace {

Result<std::vector<int64_t>> Sources(const std::string& mesh_text,
                                     const Shape& shape,
                                     const std::string& from,
                                     const std::string& to) {
  const Mesh mesh = ParseMesh(mesh_text).value();
  const CollectiveStep step{CollectiveKind::kPermute,
                            {},
                            ParseSharding(from, shape, mesh).value(),
                            ParseSharding(to, shape, mesh).value()};
  return PermuteSources(step, shape, mesh);
}

using Ranks = std::vector<int64_t>;

TEST(Permute, EveryRankGivesOnceAndItsTakerWantsThatBlock) {
  struct Case {
    const char* from;
    const char* to;
  };
  const Mesh mesh = ParseMesh("x=2,y=2,z=3").value();
  const Shape shape = {12, 24};
  for (const Case& c : {Case{"[x][]", "[y][]"},
                        Case{"[x,y][z]", "[y,x][z]"},
                        Case{"[x][y]", "[y][x]"},
                        Case{"[x,z][]", "[z,y][]"},
                        Case{"[][z,x]", "[][x,z]"},
                        Case{"[(3:z 4:x)][]", "[(3:z 4:y)][]"},
                        Case{"[x][] partial{sum: y}", "[x][] partial{sum: y}"}}) {
    SCOPED_TRACE(std::string(c.from) + " -> " + c.to);
    const Sharding from = ParseSharding(c.from, shape, mesh).value();
    const Sharding to = ParseSharding(c.to, shape, mesh).value();
    const auto sources = PermuteSources({CollectiveKind::kPermute, {}, from, to}, shape, mesh);
    ASSERT_TRUE(sources.ok());
    EXPECT_EQ(std::set<int64_t>(sources.value().begin(), sources.value().end()).size(), 12U);
    for (size_t rank = 0; rank < 12; ++rank)
      for (size_t d = 0; d < 2; ++d) {
        const auto given =
            LocalIntervals(from.dims[d], shape[d], mesh, mesh.CoordinateOf(sources.value()[rank]));
        const auto wanted = LocalIntervals(
            to.dims[d], shape[d], mesh, mesh.CoordinateOf(static_cast<int64_t>(rank)));
        EXPECT_EQ(given, wanted) << "rank " << rank << " dim " << d;
      }
  }
}

// Ranks 0 and 3 hold what they need; rank 1 must not be served by 3, which keeps its block.
TEST(Permute, KeepsWhatIsInPlace) {
  EXPECT_EQ(Sources("x=2,y=2", {4}, "[x]", "[y]").value(), (Ranks{0, 2, 1, 3}));
}

// Four nodes of four ranks: if takers and holders were paired in rank order alone, 12 blocks would
// cross nodes.
TEST(Permute, TakesFromTheOwnNodeFirst) {
  const Ranks sources = Sources("n=2,m=2,x=2,y=2", {4}, "[n,x]", "[x,m]").value();
  int crossing = 0;
  for (int64_t rank = 0; rank < 16; ++rank)
    crossing += sources[static_cast<size_t>(rank)] / 4 != rank / 4 ? 1 : 0;
  EXPECT_EQ(crossing, 8);
}

TEST(Permute, OperandsOfAReductionStayApart) {
  const Ranks sources =
      Sources("p=2,x=2,y=2", {4}, "[x] partial{sum: p}", "[y] partial{sum: p}").value();
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(sources[static_cast<size_t>(rank)] / 4, rank / 4);
}

TEST(Permute, UnevenBlocks) {
  EXPECT_EQ(Sources("x=2,y=2", {7}, "[x]", "[y]").value(), (Ranks{0, 2, 1, 3}));
}

TEST(Permute, RefusesWhatIsNoPermute) {
  EXPECT_EQ(Sources("x=2", {4, 4}, "[x][]", "[][x]").error().message,
            "a permute cannot make other blocks or other numbers of them");
  EXPECT_FALSE(Sources("x=2", {4}, "[x]", "[]").ok());
  EXPECT_EQ(Sources("x=2,y=2", {4}, "[] partial{sum: x}", "[] partial{sum: y}").error().message,
            "a permute cannot change what is partial");
}

}  // namespace
}  // namespace metadist
