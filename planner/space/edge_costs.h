// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/redistribute/redistribute.h"
#include "planner/solvers/problem/problem.h"

namespace metadist {

// A price in the integer unit of the solvers.
int64_t Picoseconds(double seconds);

// Cost matrices of redistribution between two decisions. The options of each decision are numbered
// once, so that equal matrices are found by three numbers, computed once and shared. They depend on
// the routes of a mesh only, and may serve several graphs.
class EdgeCosts {
 public:
  // The number of a list; equal lists have equal numbers. All shardings are in normal form.
  // by_strategy: the value's sharding for each strategy of the decision that makes it.
  int Source(const std::vector<Sharding>& by_strategy);
  // by_strategy: for each strategy of the decision that takes it, the shardings it requires (each
  // is paid for once).
  int Target(const std::vector<std::set<Sharding>>& by_strategy);

  // Two decisions about a value. source, target: numbers of lists for values of this type.
  struct Edge {
    const TensorType* type = nullptr;
    int source = 0;
    int target = 0;
    int64_t times = 1;  // how often the value is redistributed
  };
  // Computes the costs of many edges on several threads: values of one type on one of them.
  // routes: always of one mesh and cluster.
  void Price(const std::vector<Edge>& edges, Redistributor& routes, int threads);
  // Costs of a priced edge; nullptr if everything is free.
  CostMatrix Between(const Edge& edge);

 private:
  // Numbers of two shardings or lists.
  using Pair = std::pair<int, int>;
  struct Hash {
    size_t operator()(const Pair& key) const;
  };
  // What is known of values of one type.
  struct OfType {
    TensorType type;
    std::unordered_map<Pair, double, Hash> seconds;       // between shardings
    std::unordered_map<Pair, CostMatrix, Hash> matrices;  // between lists
  };

  OfType& Of(const TensorType& type);
  double SecondsBetween(OfType& of, const Pair& key, Redistributor& routes) const;
  CostMatrix Make(OfType& of, const Pair& key, Redistributor& routes) const;
  int IdOf(const Sharding& sharding);

  std::map<std::pair<ElementType, Shape>, size_t> types_;
  std::map<Sharding, int> ids_;
  std::vector<const Sharding*> shardings_;                // by id
  std::map<std::vector<int>, int> sources_;               // ids
  std::map<std::vector<std::vector<int>>, int> targets_;  // ids in the order of shardings
  std::vector<const std::vector<int>*> source_;           // by number
  std::vector<const std::vector<std::vector<int>>*> target_;
  std::vector<std::unique_ptr<OfType>> of_types_;  // by number
  std::map<std::pair<CostMatrix, int64_t>, CostMatrix> repeated_;
};

// The edge costs of one cluster's meshes, for several graphs in turn.
class EdgeCostsOfMeshes {
 public:
  // May be called on several threads; references stay valid as long as the object.
  EdgeCosts& Of(const Mesh& mesh, RouteAxes axes);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, RouteAxes>, std::unique_ptr<EdgeCosts>> by_mesh_;
};

}  // namespace metadist
