// SPDX-License-Identifier: Apache-2.0
// Repeated layers of a graph: runs of equal consecutive blocks.
//
// A run of period p is a range of nodes in which every node equals the one p nodes before it.
// Testing a period takes one pass over the nodes, and testing all periods is quadratic. So periods
// are guessed: a repeated block usually contains a sequence of signatures that occurs once in it,
// and that occurs again one period later. Distances between equal sequences of 4, 16, 64, ... nodes
// are counted, and the most frequent distances of each length are tested exactly. For small graphs
// every period is tested.
//
// The run that covers most nodes is taken first; the others are cut down to the nodes that remain.
// Cost: O(n log n) for n nodes, and a queue of the runs.
#include "metair/ir/repeats.h"

#include <algorithm>
#include <bit>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace metadist {
namespace {

// Blocks shorter than this are not layers.
constexpr int kShortestPeriod = 4;
constexpr NodeId kFewNodes = 512;      // up to this size every period is tested
constexpr size_t kGuessesALength = 8;  // periods

class RepeatFinder {
 public:
  RepeatFinder(const Graph& graph, const std::vector<int>& signatures)
      : graph_(graph), signatures_(signatures), nodes_(static_cast<NodeId>(graph.nodes.size())) {}

  // In node order.
  std::vector<Repeat> Run() {
    for (const int period : Periods()) AddRuns(period);
    free_[0] = nodes_;
    std::vector<Repeat> out;
    while (!runs_.empty()) {
      const Stretch run = runs_.top();
      runs_.pop();
      if (Place(run)) out.push_back({run.begin, run.period, run.count()});
    }
    std::ranges::sort(out, {}, &Repeat::first);
    return out;
  }

 private:
  // Nodes [begin, end), each equal to the one `period` nodes later or earlier.
  struct Stretch {
    NodeId begin;
    NodeId end;
    int period;
    int count() const { return (end - begin) / period; }
    int covers() const { return count() * period; }
    // Larger coverage is taken first, then shorter periods, then earlier ones.
    bool operator<(const Stretch& other) const {
      return std::make_tuple(covers(), -period, -begin) <
             std::make_tuple(other.covers(), -other.period, -other.begin);
    }
  };

  // Whether nodes a and b = a + period are equal and have corresponding operands.
  bool Alike(NodeId a, NodeId b) const {
    if (signatures_[static_cast<size_t>(a)] != signatures_[static_cast<size_t>(b)]) return false;
    const Node& left = graph_.node(a);
    const Node& right = graph_.node(b);
    for (size_t i = 0; i < left.inputs.size(); ++i) {
      const ValueId x = left.inputs[i];
      const ValueId y = right.inputs[i];
      if (x == y) continue;
      if (x == kNone || y == kNone) return false;
      const NodeId from_x = graph_.value(x).producer;
      const NodeId from_y = graph_.value(y).producer;
      if ((from_x == kNone) != (from_y == kNone)) return false;
      if (from_x != kNone && a - from_x != b - from_y) return false;
    }
    return true;
  }

  // Periods that may have runs, ascending.
  std::set<int> Periods() const {
    std::set<int> periods;
    if (nodes_ <= kFewNodes) {
      for (int period = kShortestPeriod; 2 * period <= nodes_; ++period) periods.insert(period);
      return periods;
    }
    // Of `length` nodes from i on.
    std::vector<uint64_t> hashes(signatures_.begin(), signatures_.end());
    for (int length = 1; 2 * length <= nodes_; length *= 2) {
      // Every other power of two is enough: 4, 16, 64, ...
      const bool power_of_four = std::countr_zero(static_cast<unsigned>(length)) % 2 == 0;
      if (length >= kShortestPeriod && power_of_four) Guess(hashes, periods);
      for (size_t i = 0; i + static_cast<size_t>(length) < hashes.size(); ++i)
        hashes[i] = Mixed(hashes[i], hashes[i + static_cast<size_t>(length)]);
      hashes.resize(hashes.size() - static_cast<size_t>(length));
    }
    return periods;
  }

  static uint64_t Mixed(uint64_t a, uint64_t b) {
    const uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9;
    return x ^ (x >> 29);
  }

  // Adds the most frequent distances between equal sequences.
  static void Guess(const std::vector<uint64_t>& hashes, std::set<int>& periods) {
    std::unordered_map<uint64_t, int> last;
    std::map<int, int> counts;  // by distance
    for (size_t i = 0; i < hashes.size(); ++i) {
      const int at = static_cast<int>(i);
      const auto [seen, first] = last.try_emplace(hashes[i], at);
      if (first) continue;
      const int distance = at - std::exchange(seen->second, at);
      // Shorter blocks are combined to the shortest multiple that counts as a layer.
      ++counts[(kShortestPeriod + distance - 1) / distance * distance];
    }
    std::vector<std::pair<int, int>> frequent;
    for (const auto& [distance, count] : counts) frequent.emplace_back(-count, distance);
    const size_t kept = std::min(frequent.size(), kGuessesALength);
    std::ranges::partial_sort(frequent, frequent.begin() + static_cast<std::ptrdiff_t>(kept));
    for (size_t i = 0; i < kept; ++i) periods.insert(frequent[i].second);
  }

  void AddRuns(int period) {
    NodeId begin = 0;
    for (NodeId i = 0; i + period <= nodes_; ++i) {
      if (i + period < nodes_ && Alike(i, i + period)) continue;
      Add({begin, i + period, period});
      begin = i + 1;
    }
  }

  void Add(const Stretch& run) {
    if (run.count() >= 2) runs_.push(run);
  }

  // Takes the nodes of a run if they are all free; otherwise queues the parts of it that are free.
  bool Place(const Stretch& run) {
    auto at = std::prev(free_.upper_bound(run.begin));
    if (at->first <= run.begin && run.end <= at->second) {
      const NodeId end = at->second, taken = run.begin + run.covers();
      at->second = run.begin;
      if (taken < end) free_[taken] = end;
      return true;
    }
    for (; at != free_.end() && at->first < run.end; ++at)
      Add({std::max(run.begin, at->first), std::min(run.end, at->second), run.period});
    return false;
  }

  const Graph& graph_;
  const std::vector<int>& signatures_;
  const NodeId nodes_;
  std::priority_queue<Stretch> runs_;
  std::map<NodeId, NodeId> free_;  // begin -> end; some are empty
};

}  // namespace

std::vector<Repeat> FindRepeats(const Graph& graph, const std::vector<int>& signatures) {
  return RepeatFinder(graph, signatures).Run();
}

std::vector<NodeId> LeadersOf(const Graph& graph, const std::vector<Repeat>& repeats) {
  std::vector<NodeId> leaders(graph.nodes.size());
  for (size_t n = 0; n < leaders.size(); ++n) leaders[n] = static_cast<NodeId>(n);
  for (const Repeat& repeat : repeats)
    for (NodeId i = repeat.period; i < repeat.period * repeat.count; ++i) {
      const NodeId node = repeat.first + i;
      leaders[static_cast<size_t>(node)] = repeat.first + i % repeat.period;
    }
  return leaders;
}

}  // namespace metadist
