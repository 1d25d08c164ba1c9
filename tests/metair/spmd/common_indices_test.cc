// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/common_indices.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "metair/spmd/sharding.h"

namespace metadist {
namespace {

int64_t Counted(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  int64_t common = 0;
  for (const Interval& x : a)
    for (const Interval& y : b)
      common += std::max<int64_t>(0, std::min(x.end, y.end) - std::max(x.begin, y.begin));
  return common;
}

// Compares every pair of pieces of every two of these dims with a count over the whole dim.
void Compare(int64_t size, const std::string& mesh_text, const std::vector<std::string>& dims) {
  const Mesh mesh = ParseMesh(mesh_text).value();
  for (const std::string& left : dims) {
    for (const std::string& right : dims) {
      const auto a = ParseSharding("[" + left + "]", {size}, mesh);
      const auto b = ParseSharding("[" + right + "]", {size}, mesh);
      ASSERT_TRUE(a.ok()) << a.error().text();
      ASSERT_TRUE(b.ok()) << b.error().text();
      const DimSharding& from = a.value().dims[0];
      const DimSharding& to = b.value().dims[0];
      for (int64_t r = 0; r < mesh.ranks(); ++r) {
        for (int64_t t = 0; t < mesh.ranks(); ++t) {
          const auto here = mesh.CoordinateOf(r);
          const auto there = mesh.CoordinateOf(t);
          ASSERT_EQ(CommonIndices(from, here, to, there, size, mesh),
                    Counted(LocalIntervals(from, size, mesh, here),
                            LocalIntervals(to, size, mesh, there)))
              << left << " at " << r << ", " << right << " at " << t;
        }
      }
    }
  }
}

TEST(CommonIndices, AreWhatAWalkOverTheDimCounts) {
  Compare(48,
          "x=2,y=3",
          {"",
           "x",
           "y",
           "x,y",
           "y,x",
           "(3 16:x)",
           "(6:x 8)",
           "(4 12:y)",
           "(8 6:x)",
           "(8:y 6:x)",
           "(6:x 8:y)",
           "(16 3:y)",
           "(2:x 24:y)",
           "(12 4:x)",
           "(3:y 2 8:x)",
           "(24 2:x)",
           "(48:x)"});
}

TEST(CommonIndices, OfUnevenPieces) {
  Compare(35,
          "x=2,y=3",
          {"",
           "x",
           "y",
           "x,y",
           "(5:x 7)",
           "(7:y 5)",
           "(7 5:x)",
           "(5 7:y)",
           "(5:x 7:y)",
           "(7:x 5:y)",
           "(7:y 5:x)"});
  Compare(210,
          "x=4,y=3",
          {"(6 35:x)",
           "(10 21:x)",
           "(14:y 15:x)",
           "(15:x 14:y)",
           "(21 10:y)",
           "(6:y 5 7:x)",
           "(10:x 3:y 7)",
           "(7 3 2 5:x)",
           "x,y",
           "y,x"});
}

TEST(CommonIndices, OfPartsThatBeginAnywhere) {
  Compare(30,
          "x=2,y=3",
          {"",
           "x",
           "y,x",
           "(12:x)+(18:x)",
           "(18:x)+(12:x)",
           "(6:y)+(24:x)",
           "(3 4:x)+(18:y)",
           "(10:x)+(5 4:y)",
           "(2 15:x)",
           "(6:x)+(6:y)+(18:x)"});
}

TEST(CommonIndices, OfPiecesWithHalos) {
  Compare(24,
          "x=2,y=3",
          {"",
           "x",
           "y",
           "x~1,2",
           "y~2,0",
           "y~-1,1",
           "y~mirror",
           "y~1,1~around",
           "(4 6:y)",
           "(12:x 2)",
           "x~0,-3"});
}

TEST(CommonIndices, DoNotWalkOverHugeDims) {
  const int64_t size = int64_t{1} << 50;
  const Mesh mesh = ParseMesh("x=2,y=4").value();
  const auto dim = [&](const char* text) {
    return ParseSharding(text, {size}, mesh).value().dims[0];
  };
  const auto common = [&](const char* a, const char* b) {
    return CommonIndices(dim(a), mesh.CoordinateOf(0), dim(b), mesh.CoordinateOf(0), size, mesh);
  };
  EXPECT_EQ(common("[(1099511627776 1024:x)]", "[(1099511627776 1024:y)]"), size / 4);
  EXPECT_EQ(common("[(1099511627776 1024:x)]", "[y]"), size / 8);
  EXPECT_EQ(common("[(1099511627776 1024:x)]", "[(1048576 1073741824:y)]"), size / 8);
  EXPECT_EQ(common("[(1099511627776 1024:x)]", "[(1099511627776:y 1024)]"), size / 8);
}

}  // namespace
}  // namespace metadist
