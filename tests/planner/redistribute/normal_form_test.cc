// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/normal_form.h"

#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <set>

#include "planner/redistribute/algorithms.h"
#include "tests/planner/redistribute/all_shardings.h"

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

// The fewest elements from one placement to every other by any sequence of steps, without phases
// and without a memory bound; written apart from the planners.
class AnyOrder {
 public:
  AnyOrder(std::vector<int64_t> sizes, Shape shape)
      : sizes_(std::move(sizes)), shape_(std::move(shape)) {}
  using Lists = std::vector<std::vector<int>>;  // axes of each dim, major to minor

  // Received elements from `source`, times the number of ranks.
  std::map<Lists, int64_t> From(const Lists& source) const {
    std::map<Lists, int64_t> least{{source, 0}};
    std::map<Shape, bool> permuted;
    using Entry = std::pair<int64_t, Lists>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier;
    frontier.emplace(0, source);
    while (!frontier.empty()) {
      const Entry nearest = frontier.top();
      const int64_t cost = nearest.first;
      const Lists& at = nearest.second;
      frontier.pop();
      if (least[at] < cost) continue;
      const auto offer = [&](const Lists& to, int64_t step) {
        const auto [known, added] = least.try_emplace(to, cost + step);
        if (!added && known->second <= cost + step) return;
        known->second = cost + step;
        frontier.emplace(cost + step, to);
      };
      const int64_t held = Volume(Local(at)) * Ranks();
      for (size_t d = 0; d < shape_.size(); ++d) {
        for (int axis : Unused(at))
          if (Lists to = at; Local(at)[d] % Size(axis) == 0) {
            to[d].push_back(axis);
            offer(to, 0);
          }
        int64_t group = 1;
        for (size_t keep = at[d].size(); keep-- > 0;) {
          group *= Size(at[d][keep]);
          Lists without = at;
          const std::vector<int> moved(at[d].begin() + static_cast<long>(keep), at[d].end());
          without[d].resize(keep);
          offer(without, held * (group - 1));
          for (size_t e = 0; e < shape_.size(); ++e) {
            if (e == d || Local(at)[e] % group != 0) continue;
            Lists to = without;
            to[e].insert(to[e].end(), moved.begin(), moved.end());
            offer(to, held / group * (group - 1));
          }
        }
      }
      if (permuted.emplace(Local(at), true).second)
        Deal(Lists(shape_.size()), 0, Local(at), [&](const Lists& to) { offer(to, held); });
    }
    return least;
  }

  Shape Local(const Lists& lists) const {
    Shape local = shape_;
    for (size_t d = 0; d < local.size(); ++d)
      for (int axis : lists[d]) local[d] /= Size(axis);
    return local;
  }
  int64_t Ranks() const {
    int64_t count = 1;
    for (int64_t size : sizes_) count *= size;
    return count;
  }

 private:
  int64_t Size(int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  static int64_t Volume(const Shape& shape) {
    int64_t volume = 1;
    for (int64_t size : shape) volume *= size;
    return volume;
  }
  std::vector<int> Unused(const Lists& lists) const {
    std::vector<int> out;
    for (int axis = 0; axis < static_cast<int>(sizes_.size()); ++axis) {
      bool used = false;
      for (const auto& list : lists) used |= std::count(list.begin(), list.end(), axis) > 0;
      if (!used) out.push_back(axis);
    }
    return out;
  }
  template <typename Visit>
  void Deal(const Lists& lists, size_t dim, const Shape& wanted, Visit&& visit) const {
    while (dim < shape_.size() && Local(lists)[dim] == wanted[dim]) ++dim;
    if (dim == shape_.size()) return visit(lists);
    for (int axis : Unused(lists)) {
      Lists longer = lists;
      longer[dim].push_back(axis);
      if (Local(lists)[dim] % Size(axis) == 0 && Local(longer)[dim] % wanted[dim] == 0)
        Deal(longer, dim, wanted, visit);
    }
  }

  const std::vector<int64_t> sizes_;
  const Shape shape_;
};

AnyOrder::Lists ListsOf(const Sharding& sharding) {
  AnyOrder::Lists lists;
  for (const DimSharding& dim : sharding.dims)
    lists.push_back(dim.whole() ? std::vector<int>{} : dim.parts[0].sub[0].axes);
  return lists;
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
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : mesh.fine.axes) sizes.push_back(axis.size);
  const AnyOrder any(sizes, shape);
  const std::vector<Sharding> all = AllShardings(shape, mesh.fine);
  ASSERT_EQ(all.size() * all.size(), pairs);
  for (const Sharding& from : all) {
    const auto least = any.From(ListsOf(from));
    for (const Sharding& to : all) {
      SCOPED_TRACE(TextOn(from, mesh) + " -> " + TextOn(to, mesh));
      const PlannedRoute route = Planned(mesh, shape, from, to, "nf");
      EXPECT_EQ(route.received_elements * any.Ranks(), least.at(ListsOf(to)));
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
