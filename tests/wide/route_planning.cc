// SPDX-License-Identifier: Apache-2.0
// The time to plan a redistribution, by prime factors of the mesh and dims of the array.
//
// usage: route_planning CASES SEED [FACTORS]
//          CASES random pairs per cell, meshes of 2 to FACTORS (6) axes of 2, every fourth of 3.
//          auto: one request without cached results, by elements. asked, asked again: by seconds
//          of the profile, like the planner's requests for an edge; all pairs of a cell with one
//          cache, then the same pairs once more. Milliseconds; do not compare between machines.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "planner/redistribute/redistribute.h"
#include "tests/planner/test_cluster.h"
#include "tests/wide/random_case.h"

namespace metadist {
namespace {

constexpr int kMostDims = 4;

class Milliseconds {
 public:
  template <typename Work>
  void Time(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    all_.push_back(taken.count());
  }
  // Median and largest.
  std::string text() {
    std::sort(all_.begin(), all_.end());
    return fmt::format("{:9.3f} {:9.3f}", all_[all_.size() / 2], all_.back());
  }

 private:
  std::vector<double> all_;
};

PrimeMesh MeshOf(Twister& random, int factors) {
  Mesh mesh;
  for (int i = 0; i < factors; ++i)
    mesh.axes.push_back({fmt::format("a{}", i), Below(random, 4) == 0 ? 3 : 2});
  return SplitMesh(mesh, {}).value();
}

bool Cell(Twister& random, int factors, int rank, int64_t cases) {
  Milliseconds cold, asked, again;
  const PrimeMesh mesh = MeshOf(random, factors);
  Redistributor routes(mesh.fine, TestCluster(static_cast<int>(mesh.fine.ranks())));
  struct Pair {
    TensorType type;
    Sharding from, to;
  };
  std::vector<Pair> pairs;
  while (static_cast<int64_t>(pairs.size()) < cases) {
    RouteCase drawn = DrawCase(random, mesh, rank);
    if (!drawn.divides) continue;
    bool ok = true;
    cold.Time([&] { ok = PlanRoute(drawn.request).ok(); });
    if (!ok) return false;
    pairs.push_back({drawn.request.type,
                     Normalize(drawn.request.from, mesh.fine),
                     Normalize(drawn.request.to, mesh.fine)});
  }
  for (Milliseconds* times : {&asked, &again})
    for (const Pair& pair : pairs)
      times->Time([&] { routes.Seconds(pair.type, pair.from, pair.to); });
  fmt::print("{:7} {:4} {:7}  {}  {}  {}\n",
             factors,
             rank,
             mesh.fine.ranks(),
             cold.text(),
             asked.text(),
             again.text());
  return true;
}

int Main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    fmt::print(stderr, "usage: {} CASES SEED [FACTORS]\n", argv[0]);
    return 2;
  }
  Twister random(std::strtoull(argv[2], nullptr, 10));
  fmt::print("{:>25} {:>19}  {:>19}\n", "auto", "asked", "asked again");
  fmt::print("factors dims devices  {0}  {0}  {0}\n",
             fmt::format("{:>9} {:>9}", "median", "worst"));
  const int most = argc == 4 ? std::atoi(argv[3]) : 6;
  for (int factors = 2; factors <= most; ++factors)
    for (int rank = 1; rank <= kMostDims; ++rank)
      if (!Cell(random, factors, rank, std::max<int64_t>(1, std::atoll(argv[1])))) return 1;
  return 0;
}

}  // namespace
}  // namespace metadist

// NOLINTNEXTLINE(bugprone-exception-escape): an exception ends the test.
int main(int argc, char** argv) { return metadist::Main(argc, argv); }
