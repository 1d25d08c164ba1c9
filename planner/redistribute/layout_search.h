// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "planner/redistribute/moves.h"

namespace metadist {

// Dijkstra over layouts, each in one of a few phases: least cost first, then fewest steps, then the
// layout offered first.
class LayoutSearch {
 public:
  struct Place {
    Move move;  // the last move; its `to` is the layout
    double cost = 0;
    int steps = 0;
    int parent = -1;
    uint8_t phase = 0;
    bool settled = false;
  };

  // Layouts with equal `name` are treated as one: the first one offered at the least cost
  // represents all. Without `name` all layouts are distinct.
  using Naming = std::function<Layout(const Layout&)>;
  explicit LayoutSearch(Naming name = nullptr) : name_(std::move(name)) {}

  // Offers a way to reach a layout.
  void Offer(const Move& move, uint8_t phase, double cost, int steps, int parent);
  // Settles the nearest unsettled place and returns it; -1: there is none.
  int Next();
  // The place of a layout (or of one with its name) in a phase, or -1.
  int Find(const Layout& layout, uint8_t phase = 0) const;
  const Place& operator[](int place) const { return places_[static_cast<size_t>(place)]; }
  int size() const { return static_cast<int>(places_.size()); }
  // The moves from the start of the search.
  std::vector<Move> MovesTo(int place) const;

 private:
  struct Key {
    Layout layout;
    uint8_t phase = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const { return key.layout.Hash() + key.phase; }
  };
  using Entry = std::tuple<double, int, int>;  // cost, steps, place

  Layout NameOf(const Layout& layout) const { return name_ ? name_(layout) : layout; }

  Naming name_;
  std::vector<Place> places_;
  std::unordered_map<Key, int, Hash> index_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> frontier_;
};

}  // namespace metadist
