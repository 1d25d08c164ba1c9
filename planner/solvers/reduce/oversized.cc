// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "planner/solvers/reduce/rules.h"

namespace metadist {

// A strategy is in no feasible choice if it exceeds the limit at some time even when all other
// nodes use their minimum (which is in `base`). Limits are often a tenth above the smallest
// possible peak, and strategies that replicate a large tensor on every device do not fit into that
// tenth. Deleting strategies raises the minima and with them `base`, so more may become deletable.
// Complexity: strategies x rows; the largest base in a range comes from a table of powers of two
// (sparse table).

namespace {

class RangeMaximum {
 public:
  explicit RangeMaximum(const std::vector<int64_t>& values) : levels_{values} {
    for (size_t step = 1; 2 * step <= values.size(); step *= 2) {
      const std::vector<int64_t>& last = levels_.back();
      std::vector<int64_t> next(last.size() - step);
      for (size_t k = 0; k < next.size(); ++k) next[k] = std::max(last[k], last[k + step]);
      levels_.push_back(std::move(next));
    }
  }

  // lo < hi.
  int64_t Of(int64_t lo, int64_t hi) const {
    const uint64_t reach = std::bit_floor(static_cast<uint64_t>(hi - lo));
    const std::vector<int64_t>& values = levels_[std::countr_zero(reach)];
    return std::max(values[lo], values[hi - static_cast<int64_t>(reach)]);
  }

 private:
  std::vector<std::vector<int64_t>> levels_;
};

class Oversized {
 public:
  Oversized(const CostGraph& graph, int64_t limit) : limit_(limit), base_(graph.base) {}

  // Sweeps the starts and ends of the node's rows, keeping the current usage of every strategy.
  void Find(const CostGraph::Node& node, std::vector<char>& alive) {
    events_.clear();
    for (const MemoryRow& row : node.rows) {
      events_.push_back({row.lo, 1, &row});
      events_.push_back({row.hi, -1, &row});
    }
    std::ranges::sort(events_, {}, &Event::time);
    usage_.assign(node.costs.size(), 0);
    for (size_t k = 0; k < events_.size(); ++k) {
      const std::vector<int64_t>& row = events_[k].row->usage;
      for (size_t p = 0; p < usage_.size(); ++p) usage_[p] += events_[k].sign * row[p];
      if (k + 1 == events_.size() || events_[k + 1].time == events_[k].time) continue;
      const int64_t room = limit_ - base_.Of(events_[k].time, events_[k + 1].time);
      for (size_t p = 0; p < usage_.size(); ++p) {
        if (usage_[p] > room) Kill(p, usage_.size(), alive);
      }
    }
  }

 private:
  struct Event {
    int64_t time;
    int sign;
    const MemoryRow* row;
  };

  const int64_t limit_;
  const RangeMaximum base_;
  std::vector<Event> events_;
  std::vector<int64_t> usage_;
};

}  // namespace

int64_t DropOversized(CostGraph& graph) {
  if (!graph.limit || graph.base.empty()) return 0;
  Oversized work(graph, *graph.limit);
  std::vector<std::vector<char>> alive(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].rows.empty()) work.Find(graph.nodes[i], alive[i]);
  }
  return DropStrategies(graph, alive);
}

}  // namespace metadist
