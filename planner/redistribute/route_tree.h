// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "metair/ir/element_type.h"
#include "planner/redistribute/blocks.h"
#include "planner/redistribute/layout_search.h"
#include "planner/redistribute/moves.h"
#include "planner/redistribute/step_price.h"
#include "planner/redistribute/view.h"

namespace metadist {

// What the steps of a route may do.
struct RouteLimits {
  int64_t most_elements = 0;  // that a rank holds
  uint32_t frozen = 0;        // axes (a bit each) that must not move
};

// The cheapest ways from one layout to all others within limits (Dijkstra by seconds, like
// baselines/bounded.cc), extended on demand.
class RouteTree {
 public:
  RouteTree(View view,
            const Mesh& mesh,
            StepPricer& pricer,
            ElementType element,
            const Layout& source,
            const RouteLimits& limits);

  // The place of a layout, or -1 if it cannot be reached by whole axes.
  int Find(const Layout& target);
  // For a place returned by Find: seconds to it, and the moves to it in order.
  double seconds(int place) const { return search_[place].cost; }
  std::vector<Move> MovesTo(int place) const { return search_.MovesTo(place); }
  // Whether the route has at least two steps, some of which communicate.
  bool HasDetour(int place) const;
  const View& view() const { return view_; }
  // Number of layouts found so far.
  int size() const { return search_.size(); }

 private:
  ElementType HeldAs(const Layout& layout) const;
  void Expand(int place);
  void Permute(int place, int64_t bytes);

  View view_;
  const Mesh& mesh_;
  StepPricer& pricer_;
  ElementType element_;
  RouteLimits limits_;
  LayoutSearch search_;
  std::set<BlockShape> permuted_;
};

}  // namespace metadist
