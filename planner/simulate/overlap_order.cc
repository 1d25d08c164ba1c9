// SPDX-License-Identifier: Apache-2.0
//
// Idea: in program order, a collective stands right before its reader, which would wait for it. So
// an order is made in which compute goes on with later nodes that are ready, and collectives whose
// operands exist start before their readers are reached. Two limits keep memory near that of the
// program: tasks are taken from a window, and only a few results of collectives wait for their
// readers.
//
// Choice: list scheduling, always starting next what can start first. A collective takes its place
// before the node beside which it begins. Collectives keep the order of the program among those
// that are ready, so the result needed next comes first.
//
// Source: Graham 1969 (list scheduling). Training by data parallelism deviates from program order
// for its gradients in the same way (Li et al. 2020, "PyTorch Distributed", section 3.2).
#include "planner/simulate/overlap_order.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace metadist {
namespace {

class Placer {
 public:
  Placer(const std::vector<StepTask>& tasks, const OverlapReach& reach)
      : tasks_(tasks), reach_(reach), places_(tasks.size()) {
    for (size_t t = 0; t < tasks.size(); ++t) {
      streams_[tasks[t].moves].tasks.push_back(static_cast<int>(t));
      places_[t].needs = std::ssize(tasks[t].needs);
    }
  }

  std::vector<int> Run() {
    while (order_.size() < tasks_.size()) {
      const std::optional<int> node = Next(streams_[0]), collective = Next(streams_[1]);
      const bool moves =
          collective &&
          (!node || (waiting_ < reach_.waiting && StartOf(*collective) < EndOf(*node)));
      Place(moves ? *collective : *node);
    }
    return std::move(order_);
  }

 private:
  struct Placing {
    int64_t needs = 0;  // tasks that are not placed yet
    double ready = 0;   // when all it needs is done
    bool placed = false;
    bool read = false;  // some reader is placed
  };
  struct OneStream {
    std::vector<int> tasks = {};  // in program order
    size_t head = 0;              // all before it are placed
    double now = 0;
  };

  const StepTask& At(int task) const { return tasks_[static_cast<size_t>(task)]; }
  Placing& PlaceOf(int task) { return places_[static_cast<size_t>(task)]; }
  double StartOf(int task) {
    const double free = std::max(streams_[At(task).moves].now, streams_[0].now);
    return std::max(free, PlaceOf(task).ready);
  }
  double EndOf(int task) { return StartOf(task) + At(task).seconds; }

  // The task of the window that can start first; of several, the first.
  std::optional<int> Next(OneStream& stream) {
    while (stream.head < stream.tasks.size() && PlaceOf(stream.tasks[stream.head]).placed)
      ++stream.head;
    std::optional<int> best;
    int seen = 0;
    for (size_t i = stream.head; i < stream.tasks.size() && seen < reach_.window; ++i) {
      const int task = stream.tasks[i];
      if (PlaceOf(task).placed) continue;
      ++seen;
      if (PlaceOf(task).needs > 0) continue;
      if (!best || StartOf(task) < StartOf(*best)) best = task;
      if (StartOf(*best) <= stream.now) break;
    }
    return best;
  }

  void Place(int task) {
    OneStream& stream = streams_[At(task).moves];
    stream.now = EndOf(task);
    order_.push_back(task);
    PlaceOf(task).placed = true;
    if (At(task).moves && !At(task).readers.empty()) ++waiting_;
    for (const int reader : At(task).readers) {
      --PlaceOf(reader).needs;
      PlaceOf(reader).ready = std::max(PlaceOf(reader).ready, stream.now);
    }
    for (const int need : At(task).needs) {
      if (!At(need).moves || PlaceOf(need).read) continue;
      PlaceOf(need).read = true;
      --waiting_;
    }
  }

  const std::vector<StepTask>& tasks_;
  const OverlapReach reach_;
  std::vector<Placing> places_;  // by task
  OneStream streams_[2];         // of compute, of collectives
  std::vector<int> order_;
  int waiting_ = 0;  // collectives that are placed, but none of their readers
};

}  // namespace

std::vector<int> OverlapOrder(const std::vector<StepTask>& tasks, const OverlapReach& reach) {
  return Placer(tasks, reach).Run();
}

std::vector<NodeId> NodesOf(const std::vector<StepTask>& tasks, const std::vector<int>& order) {
  std::vector<NodeId> nodes;
  for (const int index : order) {
    const StepTask& task = tasks[static_cast<size_t>(index)];
    for (NodeId node = task.first; node <= task.last; ++node) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace metadist
