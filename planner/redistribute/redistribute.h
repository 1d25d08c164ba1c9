// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/step_price.h"
#include "profiles/cluster.h"
#include "profiles/priced.h"

namespace metadist {

// How an array is brought from one sharding to another.
struct Route {
  std::vector<CollectiveStep> steps;  // shardings in normal form; empty: nothing to do
  Priced price;                       // of all steps, one after the other
  int64_t received_bytes = 0;         // by the busiest rank, over all steps
  int64_t peak_bytes = 0;             // largest input plus output of a step on rank 0
};

class RouteTree;

// The time that planning spends on routes.
struct RouteEffort {
  int64_t priced = 0;  // pairs of shardings of a type
  double seconds = 0;

  RouteEffort& operator+=(const RouteEffort& other) {
    priced += other.priced;
    seconds += other.seconds;
    return *this;
  }
};

// Which mesh axes a route may use.
enum class RouteAxes : uint8_t {
  kAll,      // also those on which both ends are whole: they can share the work
  kChanged,  // only those that cut an end or on which an end is partial
};

// Cheapest routes on one mesh of one cluster, by the profile's seconds. Caches every result;
// references stay valid as long as the object. Not thread-safe.
class Redistributor {
 public:
  // The cluster has exactly mesh.ranks() devices.
  Redistributor(Mesh mesh, Cluster cluster, RouteAxes axes = RouteAxes::kAll);
  ~Redistributor();

  // from, to: valid for global.shape. Spare elements and halos of `from` are dropped first (its
  // parts must add up), those of `to` are added last. All partial axes of one sharding must have
  // one reduction (mixed ones have no defined order). Axes of `to` that are partial in `from` too,
  // with the same reduction, stay partial; all others are reduced, gathered or made partial as
  // needed. There is always a route.
  const Route& Between(const TensorType& global, const Sharding& from, const Sharding& to);

  // Between(...).price.seconds, without storing the route; both shardings in normal form. Fastest
  // if calls with one type and source are consecutive.
  double Seconds(const TensorType& global, const Sharding& made, const Sharding& wanted);

  // Frees the memory of searches; routes that Between returned stay valid. Called automatically
  // when there are very many.
  void ForgetSearches();

  // One like this that knows no route yet.
  Redistributor Fresh() const { return {mesh_, cluster_, axes_}; }

  // Total of all calls of Seconds, and of what was added.
  const RouteEffort& effort() const { return effort_; }
  void Add(const RouteEffort& effort) { effort_ += effort; }
  const Mesh& mesh() const { return mesh_; }
  const Cluster& cluster() const { return cluster_; }

 private:
  struct Key {
    TensorType type;
    Sharding from, to;
    bool operator<(const Key& o) const {
      return std::tie(type.element, type.shape, from, to) <
             std::tie(o.type.element, o.type.shape, o.from, o.to);
    }
  };

  // The cheapest way between two shardings in normal form, `to` partial only where `from` is.
  struct Way {
    RouteTree* tree = nullptr;  // nullptr: by exchange
    int place = -1;
    double seconds = 0;
  };

  Way Choose(const TensorType& type, const Sharding& from, const Sharding& to);
  // The searches from one source, by the most elements that a rank may hold, the view's signature,
  // and the axes that must not move.
  struct Source {
    TensorType type;
    Sharding from;
    using TreeKey = std::tuple<int64_t, std::vector<std::vector<int64_t>>, uint32_t>;
    std::map<TreeKey, std::unique_ptr<RouteTree>> trees;
  };

  Source& SourceOf(const TensorType& type, const Sharding& from);
  RouteTree* TreeFor(const TensorType& type, const Sharding& from, const Sharding& to, int& place);
  // Seconds of PointToPoint's steps, or any number of at least `most` if they take that long.
  double ExchangeSeconds(const TensorType& type,
                         const Sharding& from,
                         const Sharding& to,
                         double most);
  Route Plan(const TensorType& type, const Sharding& made, const Sharding& wanted);
  void Append(Route& route, const TensorType& type, CollectiveStep step);

  Mesh mesh_;
  Cluster cluster_;
  RouteAxes axes_;
  StepPricer pricer_;
  std::map<Key, Route> routes_;
  std::map<Key, std::unique_ptr<Source>> sources_;  // by type and `from` only
  Source* last_source_ = nullptr;
  int64_t places_ = 0;  // in all trees
  RouteEffort effort_;
};

}  // namespace metadist
