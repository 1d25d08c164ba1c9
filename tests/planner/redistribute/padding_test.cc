// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/padding.h"

#include <gtest/gtest.h>

#include "planner/redistribute/baselines/algorithms.h"

namespace metadist {
namespace {

struct Padded {
  Mesh mesh;
  Result<PaddedEnds> ends;
};

Padded Pad(const std::string& mesh_text,
           const Shape& shape,
           const std::string& from,
           const std::string& to) {
  const Mesh mesh = ParseMesh(mesh_text).value();
  return {mesh,
          PadEnds(shape,
                  ParseSharding(from, shape, mesh).value(),
                  ParseSharding(to, shape, mesh).value(),
                  mesh)};
}

TEST(Padding, RoundsUpToAMultipleOfBothEnds) {
  const Padded padded = Pad("x=2,y=3", {7, 12, 5}, "[x][y][]", "[y][x][]");
  ASSERT_TRUE(padded.ends.ok());
  EXPECT_EQ(padded.ends.value().shape, (Shape{12, 12, 5}));
  EXPECT_EQ(ShardingText(padded.ends.value().to, padded.mesh), "[y][x][]");
  for (int64_t rank = 0; rank < padded.mesh.ranks(); ++rank)
    EXPECT_EQ(LocalShape({12, 12, 5}, padded.ends.value().to, padded.mesh, rank), (Shape{4, 6, 5}));
  EXPECT_TRUE(Validate(padded.ends.value().from, padded.ends.value().shape, padded.mesh).ok());
}

TEST(Padding, LeavesAloneWhatDivides) {
  const Padded padded = Pad("x=2", {8, 3}, "[(2 4:x)][]", "[x][]");
  ASSERT_TRUE(padded.ends.ok());
  EXPECT_EQ(padded.ends.value().shape, (Shape{8, 3}));
}

TEST(Padding, NamesEveryDimWhoseSubDimsDoNotDivide) {
  const Padded padded = Pad("x=2,y=2", {9, 9}, "[(3:x 3)][(3:y 3)]", "[][]");
  ASSERT_FALSE(padded.ends.ok());
  EXPECT_EQ(padded.ends.error().message, "dim 0: sub-dims must divide to be padded");
  ASSERT_EQ(padded.ends.error().also.size(), 1U);
  EXPECT_EQ(padded.ends.error().also[0].message, "dim 1: sub-dims must divide to be padded");
}

TEST(Padding, RoutesMoveThePaddedArray) {
  const PrimeMesh mesh = SplitMesh(ParseMesh("x=3").value(), {}).value();
  const Shape shape = {7, 5};
  RouteRequest request;
  request.type = {ElementType::kF32, shape};
  request.mesh = &mesh;
  request.from = ParseOn("[x][]", shape, mesh).value();
  request.to = ParseOn("[][x]", shape, mesh).value();
  request.uneven = Uneven::kPadded;
  const auto route = PlanRoute(request);
  ASSERT_TRUE(route.ok());
  EXPECT_EQ(route.value().type.shape, (Shape{9, 6}));
  EXPECT_EQ(route.value().peak_elements, 18);
  EXPECT_EQ(route.value().received_elements, 12);
}

}  // namespace
}  // namespace metadist
