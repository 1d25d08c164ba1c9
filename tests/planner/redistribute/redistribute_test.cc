// SPDX-License-Identifier: Apache-2.0
// Every pair of shardings of small arrays: the steps chain from one to the other, and a simulator
// that only knows which rank holds what carries the numbers through them.
#include "planner/redistribute/redistribute.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

// The contents of a rank: element of the global array -> its number.
using Held = std::map<int64_t, double>;

class BlockSimulator {
 public:
  BlockSimulator(Shape shape, const Mesh& mesh) : shape_(std::move(shape)), mesh_(mesh) {}

  std::set<int64_t> Elements(const Sharding& sharding, int64_t rank) const {
    std::vector<int64_t> out{0};
    for (size_t d = 0; d < shape_.size(); ++d) {
      std::vector<int64_t> next;
      for (int64_t prefix : out)
        for (const Interval& run :
             LocalIntervals(sharding.dims[d], shape_[d], mesh_, mesh_.CoordinateOf(rank)))
          for (int64_t i = run.begin; i < run.end; ++i) next.push_back(prefix * shape_[d] + i);
      out = next;
    }
    return {out.begin(), out.end()};
  }

  // Element e has the value e + 1; a partial axis of size n splits it into summands, the i-th of
  // which is (i + 1) / (n (n + 1) / 2) of it.
  std::vector<Held> Start(const Sharding& sharding) const {
    std::vector<Held> out(static_cast<size_t>(mesh_.ranks()));
    for (int64_t r = 0; r < mesh_.ranks(); ++r) {
      double weight = 1;
      for (const Partial& partial : sharding.partial) {
        const double n = static_cast<double>(mesh_.size(partial.axis));
        const auto at = mesh_.CoordinateOf(r)[static_cast<size_t>(partial.axis)];
        weight *= static_cast<double>(at + 1) / (n * (n + 1) / 2);
      }
      for (int64_t e : Elements(sharding, r))
        out[static_cast<size_t>(r)][e] = weight * static_cast<double>(e + 1);
    }
    return out;
  }

  // Fills every rank's part from ranks of its group only.
  std::string Apply(const CollectiveStep& step, std::vector<Held>& state) const {
    std::vector<Held> next(state.size());
    for (int64_t r = 0; r < mesh_.ranks(); ++r) {
      for (int64_t e : Elements(step.to, r)) {
        const std::string problem = Fetch(step, state, r, e, next[static_cast<size_t>(r)][e]);
        if (!problem.empty()) return problem;
      }
    }
    state = std::move(next);
    return "";
  }

  std::string Check(const Sharding& sharding, const std::vector<Held>& state) const {
    std::vector<int> axes;
    for (const Partial& partial : sharding.partial) axes.push_back(partial.axis);
    for (int64_t r = 0; r < mesh_.ranks(); ++r) {
      if (Keys(state[static_cast<size_t>(r)]) != Elements(sharding, r)) return "wrong part";
      for (int64_t e : Elements(sharding, r)) {
        double sum = 0;
        for (int64_t g : mesh_.Group(axes, r)) sum += state[static_cast<size_t>(g)].at(e);
        if (std::abs(sum - static_cast<double>(e + 1)) > 1e-9)
          return fmt::format("rank {} element {} is {}", r, e, sum);
      }
    }
    return "";
  }

 private:
  static std::set<int64_t> Keys(const Held& held) {
    std::set<int64_t> keys;
    for (const auto& [e, value] : held) keys.insert(e);
    return keys;
  }

  std::string Fetch(const CollectiveStep& step,
                    const std::vector<Held>& state,
                    int64_t rank,
                    int64_t element,
                    double& value) const {
    const auto held = [&](int64_t r) { return state[static_cast<size_t>(r)].count(element) > 0; };
    const auto at = [&](int64_t r) { return state[static_cast<size_t>(r)].at(element); };
    const std::vector<int64_t> group = mesh_.Group(step.axes, rank);
    switch (step.kind) {
      case CollectiveKind::kSlice:
        if (!held(rank)) return "slice of what is not there";
        value = at(rank);
        return "";
      case CollectiveKind::kPartial:
        value = mesh_.IndexAlong(step.axes, mesh_.CoordinateOf(rank)) == 0 ? at(rank) : 0;
        return "";
      case CollectiveKind::kAllReduce:
      case CollectiveKind::kReduceScatter:
        for (int64_t g : group) {
          if (!held(g)) return "a summand is missing";
          value += at(g);
        }
        return "";
      default:
        if (held(rank)) return value = at(rank), "";
        for (int64_t g : group)
          if (held(g)) return value = at(g), "";
        return fmt::format("rank {}: nobody in its group holds {}", rank, element);
    }
  }

  Shape shape_;
  const Mesh& mesh_;
};

// Every way to assign each axis to a slot (a sub-dim of one of `views`), to the sum, or to nothing.
std::vector<Sharding> AllShardings(const std::vector<Sharding>& views,
                                   const Shape& shape,
                                   const Mesh& mesh) {
  std::set<Sharding> out;
  for (const Sharding& view : views) {
    std::vector<Sharding> partly{view};
    std::vector<int> order(mesh.axes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    do {
      partly = {view};
      for (int axis : order) {
        std::vector<Sharding> next = partly;
        for (const Sharding& base : partly) {
          for (size_t d = 0; d < base.dims.size(); ++d)
            for (size_t s = 0; s < base.dims[d].parts[0].sub.size(); ++s) {
              next.push_back(base);
              for (DimPart& part : next.back().dims[d].parts) part.sub[s].axes.push_back(axis);
            }
          next.push_back(base);
          next.back().partial.push_back({axis, ReduceOp::kSum});
        }
        partly = next;
      }
      for (const Sharding& s : partly)
        if (Validate(s, shape, mesh).ok()) out.insert(Normalize(s, mesh));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return {out.begin(), out.end()};
}

DimSharding Product(const std::vector<int64_t>& sizes) {
  DimSharding dim{{DimPart{}}};
  for (int64_t size : sizes) dim.parts[0].sub.push_back({size, {}});
  return dim;
}

DimSharding Concatenation(const std::vector<int64_t>& sizes) {
  DimSharding dim;
  for (int64_t size : sizes) dim.parts.push_back({{SubDim{size, {}}}});
  return dim;
}

void CheckAllPairs(const char* mesh_text, const Shape& shape, const std::vector<Sharding>& views) {
  const Mesh mesh = ParseMesh(mesh_text).value();
  Redistributor routes(mesh, TestCluster(static_cast<int>(mesh.ranks())));
  const BlockSimulator simulator(shape, mesh);
  const TensorType type{ElementType::kF32, shape};
  const std::vector<Sharding> all = AllShardings(views, shape, mesh);
  int communicating = 0;
  for (const Sharding& from : all) {
    for (const Sharding& to : all) {
      const Route& route = routes.Between(type, from, to);
      const std::string name =
          fmt::format("{}: {} -> {}", mesh_text, ShardingText(from, mesh), ShardingText(to, mesh));
      std::vector<Held> state = simulator.Start(from);
      Sharding at = from;
      for (const CollectiveStep& step : route.steps) {
        ASSERT_EQ(step.from, at) << name;
        const std::string problem = simulator.Apply(step, state);
        ASSERT_EQ(problem, "") << name << " at " << Name(step.kind) << " to "
                               << ShardingText(step.to, mesh);
        at = step.to;
      }
      ASSERT_EQ(at, to) << name;
      ASSERT_EQ(simulator.Check(to, state), "") << name;
      communicating += route.received_bytes > 0;
    }
  }
  EXPECT_GT(communicating, 0);
}

TEST(Redistributor, AllPairsOn2x2) {
  CheckAllPairs("2x2", {4, 8}, {{{Product({4}), Product({8})}, {}}});
}

TEST(Redistributor, AllPairsOn2x3) {
  CheckAllPairs("2x3", {12, 6}, {{{Product({12}), Product({6})}, {}}});
}

TEST(Redistributor, AllPairsOfUnevenPieces) {
  CheckAllPairs("2x3", {7, 8}, {{{Product({7}), Product({8})}, {}}});
}

TEST(Redistributor, AllPairsWithSubDims) {
  CheckAllPairs("2x2",
                {12, 4},
                {{{Product({12}), Product({4})}, {}},
                 {{Product({3, 4}), Product({4})}, {}},
                 {{Product({6, 2}), Product({4})}, {}}});
}

TEST(Redistributor, AllPairsWithUnequalParts) {
  CheckAllPairs("2x2",
                {12, 4},
                {{{Product({12}), Product({4})}, {}}, {{Concatenation({8, 4}), Product({4})}, {}}});
}

TEST(Redistributor, AllPairsOn2x2x2) {
  CheckAllPairs("2x2x2", {8, 8}, {{{Product({8}), Product({8})}, {}}});
}

std::string StepsText(const Route& route) {
  std::string out;
  for (const CollectiveStep& step : route.steps)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", Name(step.kind));
  return out;
}

struct Case {
  const char* mesh;
  Shape shape;
  const char* from;
  const char* to;
  const char* steps;
  int64_t received;  // elements
};

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, Steps) {
  const Case& c = GetParam();
  const Mesh mesh = ParseMesh(c.mesh).value();
  Redistributor routes(mesh, TestCluster(static_cast<int>(mesh.ranks())));
  const Route& route = routes.Between({ElementType::kF32, c.shape},
                                      ParseSharding(c.from, c.shape, mesh).value(),
                                      ParseSharding(c.to, c.shape, mesh).value());
  EXPECT_EQ(StepsText(route), c.steps);
  EXPECT_EQ(route.received_bytes, c.received * 4);
}

INSTANTIATE_TEST_SUITE_P(
    Table,
    Cases,
    testing::Values(Case{"x=4", {64, 64}, "[x][]", "[x][]", "", 0},
                    Case{"x=4", {64, 64}, "[][]", "[x][]", "Slice", 0},
                    Case{"x=4", {64, 64}, "[x][]", "[][]", "AllGather", 3072},
                    Case{"x=4", {64, 64}, "[x][]", "[][x]", "AllToAll", 768},
                    Case{"x=4", {64, 64}, "[x][]", "[x~1,2][]", "Halo", 192},
                    Case{"x=4", {64, 64}, "[][x]", "[x~1,1][]", "AllToAll, Halo", 896},
                    Case{"x=4", {64, 64}, "[x][]", "[x+][]", "Spare", 0},
                    Case{"x=4", {64, 64}, "[x+][]", "[x][]", "Slice", 0},
                    Case{"x=4", {64, 64}, "[x+][]", "[][x+]", "Slice, AllToAll, Spare", 768},
                    Case{"x=4", {64, 64}, "[x][]", "[(62:x)~0,2][]", "Halo", 128},
                    Case{"x=4", {64, 64}, "[x][]", "[x~0,-1][]", "Halo", 0},
                    Case{"x=4", {64, 64}, "[x][]", "[x~mirror][]", "Halo", 1024},
                    Case{"x=3", {64, 64}, "[x][]", "[x~mirror][]", "Halo", 1408},
                    Case{"x=4", {64, 64}, "[x][]", "[x~3,0~around][]", "Halo", 192},
                    Case{"x=4", {64, 64}, "[x~1,1][]", "[x][]", "Slice", 0},
                    Case{"x=4", {64, 64}, "[x~1,1][]", "[x~2,2][]", "Slice, Halo", 256},
                    Case{"x=4", {64, 64}, "[x~1,1][]", "[][]", "Slice, AllGather", 3072},
                    Case{"x=4", {64, 64}, "[][] partial{sum: x}", "[][]", "AllReduce", 6144},
                    Case{"x=4", {64, 64}, "[][] partial{sum: x}", "[][x]", "ReduceScatter", 3072},
                    Case{"x=4", {64, 64}, "[][]", "[][] partial{sum: x}", "Partial", 0},
                    Case{"x=4",
                         {64, 64},
                         "[][] partial{max: x}",
                         "[][] partial{sum: x}",
                         "AllReduce, Partial",
                         6144},
                    Case{"x=3", {7, 4}, "[x][]", "[][]", "AllGather", 20},
                    Case{"x=2,y=4", {16, 16}, "[x,y][]", "[][x,y]", "AllToAll", 28},
                    Case{"x=2,y=4", {1024, 1024}, "[x,y][]", "[y,x][]", "Permute", 131072},
                    Case{"x=2,y=4", {16, 16}, "[x][y]", "[x,y][]", "AllToAll", 24},
                    Case{"x=2,y=2,z=2", {8, 8, 8}, "[x][y][z]", "[z][x][y]", "Permute", 64}));

TEST(Redistributor, DroppingTheSpareRowsOfAStoredArrayIsFree) {
  const Mesh mesh = ParseMesh("x=4").value();
  Redistributor routes(mesh, TestCluster(4));
  const TensorType type{ElementType::kF32, {64, 64}};
  const auto seconds = [&](const char* from, const char* to) {
    return routes
        .Between(type,
                 ParseSharding(from, type.shape, mesh).value(),
                 ParseSharding(to, type.shape, mesh).value())
        .price.seconds;
  };
  EXPECT_EQ(seconds("[x+][]", "[x][]"), 0);
  EXPECT_GT(seconds("[][x+]", "[][x]"), 0);
  EXPECT_GT(seconds("[x][]", "[x+][]"), 0);
}

// From one rank if pieces are even, otherwise from two.
TEST(Redistributor, AMirroredPieceIsPricedByItsMessages) {
  const auto check = [](const char* axes, int ranks, int messages, int64_t bytes) {
    const Mesh mesh = ParseMesh(axes).value();
    const Cluster cluster = TestCluster(ranks);
    Redistributor routes(mesh, cluster);
    StepPricer pricer(mesh, cluster);
    const TensorType type{ElementType::kF32, {4096, 64}};
    const Route& route = routes.Between(type,
                                        ParseSharding("[x][]", type.shape, mesh).value(),
                                        ParseSharding("[x~mirror][]", type.shape, mesh).value());
    EXPECT_EQ(route.received_bytes, messages * bytes);
    const Priced& one =
        pricer.Price(CollectiveKind::kPermute, AxisList(0), bytes, bytes, type.element);
    EXPECT_EQ(route.price.seconds, messages * one.seconds) << axes;
  };
  check("x=4", 4, 1, 1024 * 64 * 4);
  check("x=3", 3, 2, 1366 / 2 * 64 * 4);
}

TEST(Redistributor, PricesGrowWithBytesAndTriangleHolds) {
  const Mesh mesh = ParseMesh("2x2").value();
  Redistributor routes(mesh, TestCluster(4));
  const Shape shape{8, 8};
  const auto all = AllShardings({{{Product({8}), Product({8})}, {}}}, shape, mesh);
  const TensorType type{ElementType::kF32, shape};
  for (const Sharding& a : all)
    for (const Sharding& b : all) {
      const double direct = routes.Between(type, a, b).price.seconds;
      EXPECT_GE(direct, 0);
      const TensorType big{ElementType::kF32, {800, 800}};
      const auto scaled = [&](Sharding s) {
        for (DimSharding& dim : s.dims)
          for (DimPart& part : dim.parts) part.sub[0].size *= 100;
        return s;
      };
      EXPECT_GE(routes.Between(big, scaled(a), scaled(b)).price.seconds, direct);
    }
}

}  // namespace
}  // namespace metadist
