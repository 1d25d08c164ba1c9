// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "planner/redistribute/baselines/normal_form.h"
#include "tests/planner/redistribute/all_shardings.h"
#include "tests/planner/redistribute/any_order.h"

namespace metadist {
namespace {

// Gathers cost nothing, so the routes with the largest peak would always be cheapest.
class FreeGathers : public ElementCosts {
 public:
  using ElementCosts::ElementCosts;
  double Of(CollectiveKind kind, const AxisList& axes, int64_t before, int64_t after) override {
    return kind == CollectiveKind::kAllGather ? 0 : ElementCosts::Of(kind, axes, before, after);
  }
};

// The cost of the route's moves; checks that they lead to the destination within the bound.
double Walk(const RouteProblem& problem, const std::vector<Move>& moves, MoveCosts& costs) {
  double total = 0;
  Layout at = problem.from;
  for (const Move& move : moves) {
    const int64_t here = problem.view.LargestElements(at);
    const int64_t there = problem.view.LargestElements(move.to);
    EXPECT_LE(there, problem.most_elements());
    total += move.kind == CollectiveKind::kPermute ? costs.Permute(here)
                                                   : costs.Of(move.kind, move.axes, here, there);
    at = move.to;
  }
  EXPECT_EQ(at, problem.to);
  return total;
}

// Plans all pairs of shardings and returns the number for which a route with a higher peak would be
// cheaper.
template <typename Costs>
int CheckAllPairs(const std::string& mesh_text, const Shape& shape, int64_t gathered) {
  const PrimeMesh mesh = SplitMesh(ParseMesh(mesh_text).value(), {}).value();
  const AnyOrder any(mesh.fine, shape, gathered);
  const std::vector<Sharding> all = AllShardings(shape, mesh.fine);
  int dearer = 0;
  for (const Sharding& from : all) {
    const auto unlimited = any.From(from);
    std::map<int64_t, std::map<AnyOrder::Lists, int64_t>> within;  // by bound
    for (const Sharding& to : all) {
      SCOPED_TRACE(TextOn(from, mesh) + " -> " + TextOn(to, mesh));
      const RouteProblem problem = MakeRouteProblem(shape, from, to, mesh, /*even=*/true).value();
      const int64_t most = problem.most_elements();
      if (!within.contains(most)) within[most] = any.From(from, most);
      Costs costs(mesh.fine);
      const Moves moves = Bounded(problem, costs);
      EXPECT_TRUE(moves);
      if (!moves) continue;
      const auto least = static_cast<double>(within[most].at(AnyOrder::ListsOf(to)));
      EXPECT_EQ(Walk(problem, *moves, costs), least);
      dearer += static_cast<double>(unlimited.at(AnyOrder::ListsOf(to))) < least ? 1 : 0;
    }
  }
  return dearer;
}

TEST(Bounded, IsBestOfAllOrders) {
  EXPECT_EQ(CheckAllPairs<ElementCosts>("2x2x2", {16, 16}, 1), 0);
  EXPECT_EQ(CheckAllPairs<ElementCosts>("2x3", {12, 12}, 1), 0);
}

TEST(Bounded, IsBestOfAllOrdersWithoutRoomToSliceAhead) {
  CheckAllPairs<ElementCosts>("2x2x2", {4, 4}, 1);
  CheckAllPairs<ElementCosts>("2x2x2", {8, 2}, 1);
  CheckAllPairs<ElementCosts>("2x3", {6, 3}, 1);
  CheckAllPairs<ElementCosts>("2x2x3", {6, 4}, 1);
}

TEST(Bounded, HoldsNoMoreWhereThatWouldBeCheaper) {
  EXPECT_GT(CheckAllPairs<FreeGathers>("2x2x2", {16, 16}, 0), 0);
  EXPECT_GT(CheckAllPairs<FreeGathers>("2x3", {12, 12}, 0), 0);
  EXPECT_GT(CheckAllPairs<FreeGathers>("2x2x3", {6, 4}, 0), 0);
}

}  // namespace
}  // namespace metadist
