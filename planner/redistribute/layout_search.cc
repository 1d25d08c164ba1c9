// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/layout_search.h"

#include <algorithm>

namespace metadist {

void LayoutSearch::Offer(const Move& move, uint8_t phase, double cost, int steps, int parent) {
  const auto [at, added] = index_.try_emplace({NameOf(move.to), phase}, size());
  if (added) places_.emplace_back();
  Place& place = places_[static_cast<size_t>(at->second)];
  if (!added && std::tie(place.cost, place.steps) <= std::tie(cost, steps)) return;
  place = {move, cost, steps, parent, phase, false};
  frontier_.emplace(cost, steps, at->second);
}

int LayoutSearch::Next() {
  while (!frontier_.empty()) {
    const int id = std::get<2>(frontier_.top());
    frontier_.pop();
    Place& place = places_[static_cast<size_t>(id)];
    if (place.settled) continue;
    place.settled = true;
    return id;
  }
  return -1;
}

int LayoutSearch::Find(const Layout& layout, uint8_t phase) const {
  const auto found = index_.find({NameOf(layout), phase});
  return found == index_.end() ? -1 : found->second;
}

std::vector<Move> LayoutSearch::MovesTo(int id) const {
  std::vector<Move> moves;
  for (; (*this)[id].parent >= 0; id = (*this)[id].parent) moves.push_back((*this)[id].move);
  std::reverse(moves.begin(), moves.end());
  return moves;
}

}  // namespace metadist
