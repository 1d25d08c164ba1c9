// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/normal_form.h"

#include <gtest/gtest.h>

#include "planner/redistribute/baselines/algorithms.h"
#include "tests/planner/redistribute/all_shardings.h"
#include "tests/planner/redistribute/any_order.h"

namespace metadist {
namespace {

PlannedRoute Planned(const PrimeMesh& mesh,
                     const Shape& shape,
                     const Sharding& from,
                     const Sharding& to,
                     const std::string& algo) {
  RouteRequest request;
  request.type = {ElementType::kI32, shape};
  request.mesh = &mesh;
  request.from = from;
  request.to = to;
  request.algo = algo;
  auto route = PlanRoute(request);
  EXPECT_TRUE(route.ok()) << (route.ok() ? "" : route.error().text());
  return route.ok() ? std::move(route).value() : PlannedRoute{};
}

struct Case {
  const char* mesh;
  Shape shape;
  const char* from;
  const char* to;
  int64_t peak;
  int64_t received;
};

TEST(NormalForm, MovesWhatSection11Says) {
  const Case cases[] = {
      {"x=4,y=2", {16, 16, 16}, "[y][][x]", "[][x,y][]", 512, 640},
      {"x=2,y=4", {16, 16}, "[x][y]", "[y][x]", 32, 48},
      {"x=2,y=4", {16, 16}, "[x,y][]", "[][x,y]", 32, 28},
      {"x=2,y=4", {16, 16}, "[x,y][]", "[y,x][]", 32, 32},
      {"x=2,y=4", {16, 16}, "[x][]", "[y][]", 128, 64},
      {"x=2,y=4", {16, 16}, "[x][y]", "[x,y][]", 32, 24},
      {"x=2,y=3", {12, 12}, "[x][y]", "[y][x]", 24, 44},
      {"x=2,y=3", {6}, "[x]", "[y]", 3, 2},
      {"x=2,y=2,z=2", {8, 8, 8}, "[x][y][z]", "[z][x][y]", 64, 64},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.from) + " -> " + c.to);
    const PrimeMesh mesh = SplitMesh(ParseMesh(c.mesh).value(), {c.from, c.to}).value();
    const PlannedRoute route = Planned(mesh,
                                       c.shape,
                                       ParseOn(c.from, c.shape, mesh).value(),
                                       ParseOn(c.to, c.shape, mesh).value(),
                                       "nf");
    EXPECT_EQ(route.peak_elements, c.peak);
    EXPECT_EQ(route.received_elements, c.received);
  }
}

// "slice* (all-to-all | permute)* gather*" with at most one permute.
bool IsNormalForm(const std::vector<RouteStep>& steps) {
  int phase = 0;
  int permutes = 0;
  for (const RouteStep& step : steps) {
    const CollectiveKind kind = step.step.kind;
    const int of = kind == CollectiveKind::kSlice ? 0 : kind == CollectiveKind::kAllGather ? 2 : 1;
    if (of < phase) return false;
    phase = of;
    permutes += kind == CollectiveKind::kPermute ? 1 : 0;
  }
  return permutes <= 1;
}

void CheckAllPairs(const std::string& mesh_text, const Shape& shape, size_t pairs) {
  const PrimeMesh mesh = SplitMesh(ParseMesh(mesh_text).value(), {}).value();
  const AnyOrder any(mesh.fine, shape);
  const std::vector<Sharding> all = AllShardings(shape, mesh.fine);
  ASSERT_EQ(all.size() * all.size(), pairs);
  for (const Sharding& from : all) {
    const auto least = any.From(from);
    for (const Sharding& to : all) {
      SCOPED_TRACE(TextOn(from, mesh) + " -> " + TextOn(to, mesh));
      const PlannedRoute route = Planned(mesh, shape, from, to, "nf");
      EXPECT_EQ(route.received_elements * mesh.fine.ranks(), least.at(AnyOrder::ListsOf(to)));
      EXPECT_TRUE(IsNormalForm(route.steps));
      const auto held = [&](const Sharding& s) {
        return NumElements(LargestLocalShape(shape, s, mesh.fine));
      };
      EXPECT_EQ(route.peak_elements, std::max(held(from), held(to)));
      Sharding at = from;
      for (const RouteStep& step : route.steps) {
        EXPECT_EQ(step.step.from, at);
        at = step.step.to;
      }
      EXPECT_EQ(at, to);
    }
  }
}

TEST(NormalForm, IsBestOfAllOrdersOnThreeAxesOfTwo) { CheckAllPairs("2x2x2", {16, 16}, 2401); }
TEST(NormalForm, IsBestOfAllOrdersOnTwoAndThree) { CheckAllPairs("2x3", {12, 12}, 121); }

}  // namespace
}  // namespace metadist
