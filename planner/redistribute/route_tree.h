// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "metair/ir/element_type.h"
#include "planner/redistribute/moves.h"
#include "planner/redistribute/step_price.h"
#include "planner/redistribute/view.h"

namespace metadist {

// The cheapest ways from one layout to all others (Dijkstra), grown as far as asked.
class RouteTree {
 public:
  RouteTree(
      View view, const Mesh& mesh, StepPricer& pricer, ElementType element, const Layout& source);

  // The place of a layout, or -1 if it cannot be reached by whole axes.
  int Find(const Layout& target);
  // Of a place that Find gave: seconds to it, and the moves to it in order.
  double seconds(int place) const { return places_[static_cast<size_t>(place)].seconds; }
  std::vector<Move> MovesTo(int place) const;
  // Whether a second step follows a first, and some step communicates.
  bool HasDetour(int place) const;
  const View& view() const { return view_; }

 private:
  struct Place {
    double seconds = 0;
    int steps = 0;
    int parent = -1;
    bool settled = false;
    Move move;  // that led here; its `to` is the layout
  };
  struct LayoutHash {
    size_t operator()(const Layout& layout) const { return layout.Hash(); }
  };
  using Entry = std::tuple<double, int, int>;  // seconds, steps, place

  void Expand(int place);
  void Offer(double seconds, int steps, int parent, const Move& move);

  View view_;
  const Mesh& mesh_;
  StepPricer& pricer_;
  ElementType element_;
  std::vector<Place> places_;
  std::unordered_map<Layout, int, LayoutHash> index_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier_;
};

}  // namespace metadist
