// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/sharding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "metair/spmd/program.h"

namespace metadist {
namespace {

Mesh Make(const char* text) { return ParseMesh(text).value(); }

Sharding Parse(const char* text, const Shape& shape, const Mesh& mesh) {
  auto parsed = ParseSharding(text, shape, mesh);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().text());
  return std::move(parsed).value();
}

std::vector<int64_t> Indices(const DimSharding& dim, int64_t size, const Mesh& mesh, int64_t rank) {
  std::vector<int64_t> out;
  for (const Interval& run : LocalIntervals(dim, size, mesh, mesh.CoordinateOf(rank)))
    for (int64_t i = run.begin; i < run.end; ++i) out.push_back(i);
  return out;
}

TEST(Mesh, ParsesNamesAndSizes) {
  EXPECT_EQ(MeshText(Make("data=4,model=8")), "data=4,model=8");
  EXPECT_EQ(MeshText(Make("4x8")), "a=4,b=8");
  EXPECT_EQ(Make("2x3x4").ranks(), 24);
  for (const char* bad :
       {"", "0", "-1", "2x", "a=", "=2", "a=2,a=3", "a=2,b", "9999999999x9", "1.5"})
    EXPECT_FALSE(ParseMesh(bad).ok()) << bad;
}

TEST(Mesh, RanksAreRowMajor) {
  const Mesh mesh = Make("x=2,y=3");
  EXPECT_EQ(mesh.CoordinateOf(4), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(mesh.RankOf({1, 1}), 4);
  EXPECT_EQ(mesh.Group({1}, 4), (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(mesh.Group({1, 0}, 4), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Piece, IsBalancedAndCovers) {
  for (int64_t size : {0, 1, 7, 50257}) {
    for (int64_t count : {1, 2, 3, 8}) {
      int64_t end = 0;
      for (int64_t i = 0; i < count; ++i) {
        const Interval piece = Piece(size, count, i);
        EXPECT_EQ(piece.begin, end);
        EXPECT_GE(piece.size(), size / count);
        EXPECT_LE(piece.size(), size / count + 1);
        end = piece.end;
      }
      EXPECT_EQ(end, size);
    }
  }
  EXPECT_EQ(Piece(50257, 8, 0).size(), 6283);
  EXPECT_EQ(Piece(50257, 8, 1).size(), 6282);
}

TEST(Sharding, TextRoundTrips) {
  const Mesh mesh = Make("data=2,model=4");
  for (const char* text : {"[][]",
                           "[data,model][]",
                           "[data][model]",
                           "[][(3 64:model)]",
                           "[][(128:model)+(64:model)]",
                           "[][(2 96:model,data)]",
                           "[][] partial{sum: model}",
                           "[][] partial{sum in f32: model}",
                           "[data][] partial{max: model}",
                           "[(8)~mirror][]",
                           "[(8)][]"}) {
    EXPECT_EQ(ShardingText(Parse(text, {8, 192}, mesh), mesh), text);
  }
  EXPECT_EQ(ShardingText(Parse("scalar", {}, mesh), mesh), "scalar");
}

TEST(Sharding, RejectsWhatCannotBePlaced) {
  const Mesh mesh = Make("data=2,model=4");
  const auto error = [&](const char* text) {
    auto parsed = ParseSharding(text, {8, 6}, mesh);
    EXPECT_FALSE(parsed.ok()) << text;
    return parsed.ok() ? "" : parsed.error().message;
  };
  EXPECT_EQ(error("[data]"), "sharding '[data]': shape [8,6] has 2 dims");
  EXPECT_EQ(error("[data][data]"), "axis 'data' is used twice");
  EXPECT_EQ(error("[data,data][]"), "axis 'data' is used twice");
  EXPECT_EQ(error("[][] partial{max: data; max: data}"), "axis 'data' is used twice");
  EXPECT_EQ(error("[modle][]"), "sharding '[modle][]': no axis 'modle' in mesh data=2,model=4");
  EXPECT_EQ(error("[][data,model]"), "dim 1 of [8,6]: 6 cannot be cut into 8 pieces");
  EXPECT_EQ(error("[][(5:data)]"), "dim 1 of [8,6]: sub-dims make 5");
}

TEST(Sharding, LocalIndicesOfBlockCyclicAndConcatenatedDims) {
  const Mesh mesh = Make("m=2");
  const Sharding cyclic = Parse("[(3 4:m)]", {12}, mesh);
  EXPECT_EQ(Indices(cyclic.dims[0], 12, mesh, 1), (std::vector<int64_t>{2, 3, 6, 7, 10, 11}));
  const Sharding parts = Parse("[(8:m)+(4:m)]", {12}, mesh);
  EXPECT_EQ(Indices(parts.dims[0], 12, mesh, 1), (std::vector<int64_t>{4, 5, 6, 7, 10, 11}));
  const Sharding uneven = Parse("[(5:m 2)]", {10}, mesh);
  EXPECT_EQ(LocalShape({10}, uneven, mesh, 0), (Shape{6}));
  EXPECT_EQ(Indices(uneven.dims[0], 10, mesh, 1), (std::vector<int64_t>{6, 7, 8, 9}));
}

TEST(Sharding, NormalFormsOfEqualPlacementsAreEqual) {
  const Mesh mesh = Make("x=2,y=3");
  const auto same = [&](const char* a, const char* b, const Shape& shape) {
    EXPECT_EQ(ShardingText(Normalize(Parse(a, shape, mesh), mesh), mesh), b);
  };
  same("[(4:x 3)]", "[x]", {12});
  same("[(2:x 6:y)]", "[x,y]", {12});
  same("[(1 12:x)]", "[x]", {12});
  same("[(6:x)+(6:x)]", "[(2 6:x)]", {12});
  same("[(3:x 4)]", "[(3:x 4)]", {12});  // pieces of whole fours: not the contiguous cut of 12
  same("[(2 6)]", "[]", {12});
}

TEST(Sharding, PlacementSurvivesNormalizing) {
  const Mesh mesh = Make("x=2,y=3");
  for (const char* text :
       {"[(4:x 3)]", "[(2:x 6:y)]", "[(3:x 4)]", "[(2 6:y)]", "[(6:x)+(6:x)]", "[(9:y)+(3:y)]"}) {
    const DimSharding dim = Parse(text, {12}, mesh).dims[0];
    for (int64_t rank = 0; rank < 6; ++rank)
      EXPECT_EQ(Indices(dim, 12, mesh, rank), Indices(Normalize(dim, mesh), 12, mesh, rank))
          << text;
  }
}

TEST(Sharding, SliceAndPlaceAreInverse) {
  const Mesh mesh = Make("x=2,y=3");
  std::vector<float> numbers(7 * 12);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  const Tensor whole = Tensor::Of<float>({7, 12}, numbers);
  for (const char* text : {"[][]", "[x][y]", "[x,y][]", "[][(3 4:x)]", "[y][(8:x)+(4:x)]"}) {
    const Sharding sharding = Parse(text, {7, 12}, mesh);
    Tensor back = Tensor::Zeros(whole.type());
    for (int64_t rank = 0; rank < 6; ++rank)
      PlaceLocal(SliceLocal(whole, sharding, mesh, rank), sharding, mesh, rank, back);
    EXPECT_TRUE(Identical(whole, back)) << text;
  }
}

TEST(Sharding, HalosWidenPieces) {
  const Mesh mesh = ParseMesh("a=3").value();
  const Shape shape = {10, 4};
  const Sharding sharding = ParseSharding("[a~2,1][]", shape, mesh).value();
  EXPECT_EQ(ShardingText(sharding, mesh), "[a~2,1][]");
  EXPECT_EQ(Normalize(sharding, mesh), sharding);
  // Pieces [0, 4), [4, 7), [7, 10).
  const Interval wanted[] = {{0, 5}, {2, 8}, {5, 10}};
  for (int64_t rank = 0; rank < 3; ++rank) {
    const auto runs = LocalIntervals(sharding.dims[0], 10, mesh, {rank});
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0], wanted[rank]);
    EXPECT_EQ(LocalShape(shape, sharding, mesh, rank), (Shape{wanted[rank].size(), 4}));
  }
  EXPECT_EQ(LargestLocalShape(shape, sharding, mesh), (Shape{6, 4}));
  EXPECT_EQ(ShardingText(sharding.WithoutHalos(), mesh), "[a][]");
}

TEST(Sharding, ASpareElementLiesBehindThePiece) {
  const Mesh mesh = ParseMesh("a=3,b=2").value();
  const Shape shape{7, 4};
  const Sharding sharding = Parse("[a+][b+]", shape, mesh);
  EXPECT_EQ(ShardingText(sharding, mesh), "[a+][b+]");
  EXPECT_EQ(Normalize(sharding, mesh), sharding);
  EXPECT_EQ(ShardingText(sharding.WithoutSpares(), mesh), "[a][b]");
  EXPECT_EQ(LocalShape(shape, sharding, mesh, 0), (Shape{4, 3}));
  EXPECT_EQ(LocalShape(shape, sharding, mesh, 5), (Shape{3, 3}));
  std::vector<float> x(28);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  const Tensor whole = Tensor::Of<float>(shape, x);
  const Tensor local = SliceLocal(whole, sharding, mesh, 3);  // rows 3, 4; columns 2, 3
  EXPECT_EQ(local.ToDoubles(), (std::vector<double>{15, 16, 0, 19, 20, 0, 0, 0, 0}));
  Tensor back = Tensor::Zeros(whole.type());
  for (int64_t rank = 0; rank < 6; ++rank)
    PlaceLocal(SliceLocal(whole, sharding, mesh, rank), sharding, mesh, rank, back);
  EXPECT_TRUE(Identical(back, whole));
}

TEST(Sharding, SpareElementsOfOtherCutsAreRefused) {
  const Mesh mesh = ParseMesh("a=3").value();
  const auto message = [&](const char* text) {
    const auto parsed = ParseSharding(text, {12}, mesh);
    return parsed.ok() ? "" : parsed.error().message;
  };
  EXPECT_EQ(message("[a+]"), "");
  EXPECT_EQ(message("[a~1,1+]"), "dim 0 of [12]: a dim has a halo or a spare element, not both");
  EXPECT_EQ(message("[(3 4:a)+]"), "sharding '[(3 4:a)+]': expected '('");
  Sharding cyclic = ParseSharding("[(4 3:a)]", {12}, mesh).value();
  cyclic.dims[0].spare = true;
  EXPECT_EQ(Validate(cyclic, {12}, mesh).error().message,
            "dim 0 of [12]: only a dim that is cut contiguously has a spare element");
}

// A window slides over 9 elements in steps of 2 and has 4 or 5 positions.
TEST(Sharding, GroupsOfAWindowNeedNotMakeUpTheDim) {
  const Mesh mesh = ParseMesh("a=3").value();
  const auto pieces = [&](const std::string& text) {
    const Sharding sharding = ParseSharding(text, {9}, mesh).value();
    EXPECT_EQ(ShardingText(sharding, mesh), text);
    EXPECT_EQ(Normalize(sharding, mesh), sharding);
    EXPECT_EQ(ShardingText(sharding.WithoutHalos(), mesh), "[a]");
    std::vector<int64_t> ends;
    int64_t largest = 0;
    for (int64_t rank = 0; rank < 3; ++rank) {
      const auto runs = LocalIntervals(sharding.dims[0], 9, mesh, {rank});
      ends.insert(ends.end(), {runs[0].begin, runs[0].end});
      largest = std::max(largest, LocalShape({9}, sharding, mesh, rank)[0]);
    }
    EXPECT_EQ(LargestLocalShape({9}, sharding, mesh), (Shape{largest}));
    return ends;
  };
  using Ends = std::vector<int64_t>;
  EXPECT_EQ(pieces("[(4:a 2)~0,1]"), (Ends{0, 5, 4, 7, 6, 9}));
  EXPECT_EQ(pieces("[(5:a 2)~1,0]"), (Ends{0, 4, 3, 8, 7, 9}));
  EXPECT_EQ(pieces("[(4:a 2)~0,0]"), (Ends{0, 4, 4, 6, 6, 8}));
  EXPECT_EQ(pieces("[(5:a 2)~0,-1]"), (Ends{0, 3, 4, 7, 8, 9}));
  EXPECT_EQ(pieces("[(11:a)~1,-1]"), (Ends{0, 3, 3, 7, 7, 9}));
  const Sharding whole_groups = ParseSharding("[(3:a 3)~1,0]", {9}, mesh).value();
  EXPECT_EQ(ShardingText(Normalize(whole_groups, mesh), mesh), "[a~1,0]");
}

TEST(Sharding, HalosThatDoNotFitAreRefused) {
  const Mesh mesh = ParseMesh("a=3").value();
  const auto message = [&](const char* text) {
    const auto parsed = ParseSharding(text, {10}, mesh);
    return parsed.ok() ? "" : parsed.error().message;
  };
  EXPECT_EQ(message("[a~4,0]"),
            "dim 0 of [10]: a halo of 4 and 0 is wider than the smallest piece, 3");
  EXPECT_EQ(message("[a~1]"), "sharding '[a~1]': expected ',' in a halo");
  EXPECT_EQ(message("[a~x,0]"), "sharding '[a~x,0]': expected the width of a halo");
  EXPECT_EQ(message("[(2 5:a)~1,0]"),
            "dim 0 of [10]: only a dim that is cut contiguously has a halo");
  EXPECT_EQ(message("[(8:a)~0,3]"),
            "dim 0 of [10]: a halo of 0 and 3 is wider than the smallest piece, 2");
  EXPECT_EQ(message("[(12:a)~1,3]"),
            "dim 0 of [10]: a halo of 1 and 3 reaches beyond its ends from piece 1");
  EXPECT_EQ(message("[a~-3,0]"), "dim 0 of [10]: a halo of -3 and 0 leaves nothing of piece 1");
  EXPECT_EQ(message("[a~around]"), "dim 0 of [10]: a halo that goes around has a width");
  EXPECT_EQ(message("[a~3,3~around]"), "");
  EXPECT_EQ(message("[(2 5:a)~mirror]"),
            "dim 0 of [10]: only a dim that is cut contiguously has a halo");
  EXPECT_EQ(ParseSharding("[a~2,2~around]", {6}, ParseMesh("a=2").value()).error().message,
            "dim 0 of [6]: a halo of 2 and 2 meets itself around piece 0");
  for (const char* large : {"[(4:a 6666 4329000000000000)~0,0]", "[a~0,1152921504606846977]"})
    EXPECT_EQ(message(large),
              fmt::format("sharding '{}': more than 1152921504606846976 elements", large));
  EXPECT_NE(ParseSharding("[a~0,4~around]", {0}, mesh)
                .error()
                .text()
                .find("dim 0 of [0]: a dim without elements has no halo"),
            std::string::npos);
}

// By rank, the indices of a dim that it holds.
std::vector<std::vector<int64_t>> HeldOf(const std::string& text, int64_t size, const Mesh& mesh) {
  const Sharding sharding = ParseSharding(text, {size}, mesh).value();
  EXPECT_EQ(ShardingText(sharding, mesh), text);
  EXPECT_EQ(Normalize(sharding, mesh), sharding);
  EXPECT_EQ(ShardingText(sharding.WithoutHalos(), mesh), "[a]");
  std::vector<std::vector<int64_t>> held;
  size_t most = 0;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    held.emplace_back();
    for (const Interval& run : LocalIntervals(sharding.dims[0], size, mesh, {rank}))
      for (int64_t i = run.begin; i < run.end; ++i) held.back().push_back(i);
    EXPECT_EQ(LocalShape({size}, sharding, mesh, rank)[0],
              static_cast<int64_t>(held.back().size()));
    most = std::max(most, held.back().size());
  }
  EXPECT_EQ(LargestLocalShape({size}, sharding, mesh)[0], static_cast<int64_t>(most));
  return held;
}

TEST(Sharding, MirroredPiecesAreCountedFromTheEnd) {
  const Mesh mesh = ParseMesh("a=3").value();
  using Held = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(HeldOf("[a~mirror]", 8, mesh), (Held{{5, 6, 7}, {2, 3, 4}, {0, 1}}));
  EXPECT_EQ(HeldOf("[a~1,0~mirror]", 8, mesh), (Held{{5, 6, 7}, {2, 3, 4, 5}, {0, 1, 2}}));
  EXPECT_EQ(HeldOf("[(4:a 2)~mirror]", 9, mesh), (Held{{5, 6, 7, 8}, {3, 4}, {1, 2}}));
}

TEST(Sharding, HalosGoAroundTheEnds) {
  const Mesh mesh = ParseMesh("a=3").value();
  using Held = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(HeldOf("[a~1,2~around]", 8, mesh),
            (Held{{7, 0, 1, 2, 3, 4}, {2, 3, 4, 5, 6, 7}, {5, 6, 7, 0, 1}}));
  EXPECT_EQ(HeldOf("[a~2,-2~around]", 8, mesh), (Held{{6, 7, 0}, {1, 2, 3}, {4, 5}}));
}

}  // namespace
}  // namespace metadist
