// SPDX-License-Identifier: Apache-2.0
#include "executor/run/route_run.h"

#include <gtest/gtest.h>

#include "executor/host/operand_pattern.h"

namespace metadist {
namespace {

struct Stop {
  CollectiveKind kind;
  std::vector<int> axes;
  const char* to;
};

// Runs the route through these stops both ways, and compares with the array placed directly at the
// end.
void Check(const std::string& mesh_text,
           const TensorType& type,
           const std::string& from,
           const std::vector<Stop>& stops,
           const std::vector<int64_t>& elements) {
  SCOPED_TRACE(from + " to " + (stops.empty() ? from : stops.back().to));
  const Mesh mesh = ParseMesh(mesh_text).value();
  const Sharding source = ParseSharding(from, type.shape, mesh).value();
  std::vector<CollectiveStep> steps;
  Sharding at = source;
  for (const Stop& stop : stops) {
    const Sharding next = ParseSharding(stop.to, type.shape, mesh).value();
    steps.push_back({stop.kind, stop.axes, at, next});
    at = next;
  }
  const OperandPattern pattern(type, mesh, source.partial);
  const std::vector<Tensor> wanted = pattern.Locals(at);
  const auto turn = RunRouteInTurn(steps, type, mesh, pattern.Locals(source));
  const auto threads =
      RunRoute(steps, type, mesh, pattern.Locals(source), {.warm_up = 1, .iterations = 2});
  ASSERT_TRUE(turn.ok()) << turn.error().text();
  ASSERT_TRUE(threads.ok()) << threads.error().text();
  for (size_t rank = 0; rank < wanted.size(); ++rank) {
    EXPECT_TRUE(Identical(turn.value().held[rank], wanted[rank])) << "rank " << rank;
    EXPECT_TRUE(Identical(threads.value().held[rank], wanted[rank])) << "rank " << rank;
  }
  EXPECT_EQ(turn.value().elements, elements);
  EXPECT_EQ(threads.value().elements, elements);
  EXPECT_EQ(threads.value().step_seconds.size(), steps.size());
  EXPECT_EQ(threads.value().round_seconds.size(), 2U);
}

TEST(RouteRun, StepsFollowOneAnother) {
  Check("x=2,y=3",
        {ElementType::kF32, {6}},
        "[x]",
        {{CollectiveKind::kSlice, {1}, "[x,y]"},
         {CollectiveKind::kPermute, {0, 1}, "[y,x]"},
         {CollectiveKind::kAllGather, {0}, "[y]"}},
        {1, 1, 2});
  Check("x=4,y=2",
        {ElementType::kI64, {16, 8}},
        "[y][x]",
        {{CollectiveKind::kAllToAll, {0}, "[y,x][]"}, {CollectiveKind::kAllGather, {0}, "[y][]"}},
        {16, 64});
}

TEST(RouteRun, SpareElementsComeAndGo) {
  Check("x=3",
        {ElementType::kF32, {7, 4}},
        "[x][]",
        {{CollectiveKind::kSpare, {}, "[x+][]"},
         {CollectiveKind::kSlice, {}, "[x][]"},
         {CollectiveKind::kAllToAll, {0}, "[][x]"},
         {CollectiveKind::kSpare, {}, "[][x+]"}},
        {16, 12, 14, 21});
}

TEST(RouteRun, Reductions) {
  // Large enough for an all-reduce in slices.
  Check("x=2,y=2",
        {ElementType::kF32, {64, 96}},
        "[y][] partial{sum: x}",
        {{CollectiveKind::kAllReduce, {0}, "[y][]"}, {CollectiveKind::kAllToAll, {1}, "[][y]"}},
        {3072, 3072});
  Check("x=2,y=2",
        {ElementType::kF32, {8, 4}},
        "[][] partial{max: x,y}",
        {{CollectiveKind::kReduceScatter, {1}, "[][y] partial{max: x}"},
         {CollectiveKind::kReduceScatter, {0}, "[x][y]"}},
        {16, 8});
}

TEST(RouteRun, UnevenPiecesByExchange) {
  Check("x=3",
        {ElementType::kF32, {7, 5}},
        "[x][]",
        {{CollectiveKind::kExchange, {0}, "[][x]"}},
        {14});
}

TEST(RouteRun, NothingToDo) { Check("x=2", {ElementType::kF32, {4}}, "[x]", {}, {}); }

TEST(RouteRun, NamesTheStepThatIsNone) {
  const Mesh mesh = ParseMesh("x=2").value();
  const TensorType type{ElementType::kF32, {4}};
  const Sharding cut = ParseSharding("[x]", type.shape, mesh).value();
  const auto run = RunRouteInTurn({{CollectiveKind::kPermute, {0}, cut, Sharding::Replicated(1)}},
                                  type,
                                  mesh,
                                  OperandPattern(type, mesh, {}).Locals(cut));
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().where, "step 1");
}

}  // namespace
}  // namespace metadist
