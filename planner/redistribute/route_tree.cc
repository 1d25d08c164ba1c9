// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/route_tree.h"

#include <algorithm>

namespace metadist {

RouteTree::RouteTree(
    View view, const Mesh& mesh, StepPricer& pricer, ElementType element, const Layout& source)
    : view_(std::move(view)), mesh_(mesh), pricer_(pricer), element_(element) {
  Offer(0, 0, -1, Move{CollectiveKind::kSlice, {}, source});
}

void RouteTree::Offer(double seconds, int steps, int parent, const Move& move) {
  const auto [at, added] = index_.try_emplace(move.to, static_cast<int>(places_.size()));
  if (added) places_.emplace_back();
  Place& place = places_[static_cast<size_t>(at->second)];
  if (!added && std::tie(place.seconds, place.steps) <= std::tie(seconds, steps)) return;
  place.seconds = seconds;
  place.steps = steps;
  place.parent = parent;
  place.move = move;
  frontier_.emplace(seconds, steps, at->second);
}

void RouteTree::Expand(int id) {
  const Layout from = places_[static_cast<size_t>(id)].move.to;
  const double seconds = places_[static_cast<size_t>(id)].seconds;
  const int steps = places_[static_cast<size_t>(id)].steps;
  const int64_t item = ByteSize(element_);
  const int64_t before = view_.LargestElements(from) * item;
  for (const Move& move : MovesFrom(view_, mesh_, from)) {
    const int64_t after = view_.LargestElements(move.to) * item;
    const double price = pricer_.Price(move.kind, move.axes, before, after, element_).seconds;
    Offer(seconds + price, steps + 1, id, move);
  }
}

int RouteTree::Find(const Layout& target) {
  const auto settled = [&] {
    const auto found = index_.find(target);
    const bool known = found != index_.end() && places_[static_cast<size_t>(found->second)].settled;
    return known ? found->second : -1;
  };
  int place = settled();
  while (place < 0 && !frontier_.empty()) {
    const int id = std::get<2>(frontier_.top());
    frontier_.pop();
    if (places_[static_cast<size_t>(id)].settled) continue;
    places_[static_cast<size_t>(id)].settled = true;
    Expand(id);
    if (places_[static_cast<size_t>(id)].move.to == target) place = id;
  }
  return place;
}

std::vector<Move> RouteTree::MovesTo(int id) const {
  std::vector<Move> moves;
  for (; places_[static_cast<size_t>(id)].parent >= 0; id = places_[static_cast<size_t>(id)].parent)
    moves.push_back(places_[static_cast<size_t>(id)].move);
  std::reverse(moves.begin(), moves.end());
  return moves;
}

bool RouteTree::HasDetour(int id) const {
  if (places_[static_cast<size_t>(id)].steps < 2) return false;
  for (; places_[static_cast<size_t>(id)].parent >= 0;
       id = places_[static_cast<size_t>(id)].parent) {
    const CollectiveKind kind = places_[static_cast<size_t>(id)].move.kind;
    if (kind != CollectiveKind::kSlice && kind != CollectiveKind::kPartial) return true;
  }
  return false;
}

}  // namespace metadist
