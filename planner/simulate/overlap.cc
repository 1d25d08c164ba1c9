// SPDX-License-Identifier: Apache-2.0
//
// Idea: in program order, a collective stands right before its reader, which would wait for it. So
// the streams may deviate from that order: compute goes on with later nodes that are ready, and
// collectives whose operands exist start before their readers are reached. Two limits keep memory
// near that of the program: nodes are taken from a window, and only a few results of collectives
// wait for their readers.
//
// Choice: list scheduling in two passes. The first fixes the order on each stream, always starting
// next what can start first. The second adds up the time in that order, as a fluid: kernels are
// slower while a collective runs, which shares memory and processors with them. Of many
// micro-batches three are scheduled; further ones take what the third adds.
//
// Source: Graham 1969 (list scheduling). Training by data parallelism deviates from program order
// for its gradients in the same way (Li et al. 2020, "PyTorch Distributed", section 3.2).
#include "planner/simulate/overlap.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "metair/ir/micro_batches.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

constexpr size_t kWindow = 64;     // tasks of a stream to choose from
constexpr int kMostWaiting = 4;    // collectives whose results nobody has read yet
constexpr int kMostScheduled = 3;  // micro-batches

// What runs at one time: a node, a bundle of collectives, or nodes that run as one.
struct Task {
  bool moves = false;  // a collective
  double seconds = 0;
  std::vector<int> needs = {};    // tasks
  std::vector<int> readers = {};  // tasks that need it
};

bool Moves(const Node& node) {
  const auto kind = CollectiveOf(node);
  return kind && *kind != CollectiveKind::kSlice && *kind != CollectiveKind::kPartial &&
         *kind != CollectiveKind::kSpare;
}

// Lists the tasks of a few micro-batches, in program order.
class TaskLister {
 public:
  explicit TaskLister(const StepParts& step)
      : step_(step),
        stage_(OnlyStage(step.program)),
        once_(NodesRunOnce(stage_.graph)),
        made_by_(stage_.graph.values.size(), -1),
        replaces_(stage_.graph.values.size()) {
    for (size_t n = 0; n < once_.size(); ++n) last_of_.push_back(static_cast<NodeId>(n));
    for (const FusedNodes& group : stage_.fused)
      last_of_[static_cast<size_t>(group.front())] = group.back();
    for (const StatePair& pair : stage_.graph.state)
      if (!pair.sums) replaces_[static_cast<size_t>(pair.output)].push_back(pair.input);
  }

  std::vector<Task> Run(int micro_batches) {
    for (int batch = 0; batch < micro_batches; ++batch) AddBatch(batch + 1 == micro_batches);
    for (size_t t = 0; t < tasks_.size(); ++t)
      for (const int need : tasks_[t].needs)
        tasks_[static_cast<size_t>(need)].readers.push_back(static_cast<int>(t));
    return std::move(tasks_);
  }

 private:
  void AddBatch(bool last) {
    read_by_.assign(stage_.graph.values.size(), {});
    const NodeId end = static_cast<NodeId>(once_.size());
    for (NodeId node = 0; node < end;) {
      const NodeId until = EndOf(node);
      if (last || !once_[static_cast<size_t>(node)]) AddTask(node, until);
      node = until + 1;
    }
    // Sums go on from micro-batch to micro-batch.
    for (const StatePair& pair : stage_.graph.state)
      if (pair.sums)
        made_by_[static_cast<size_t>(pair.input)] = made_by_[static_cast<size_t>(pair.output)];
  }

  // The last node that runs together with this one.
  NodeId EndOf(NodeId node) const {
    NodeId last = last_of_[static_cast<size_t>(node)];
    const auto bundle = BundleOf(stage_.graph.node(node));
    while (bundle && static_cast<size_t>(last) + 1 < once_.size() &&
           BundleOf(stage_.graph.node(last + 1)) == bundle)
      ++last;
    return last;
  }

  void AddTask(NodeId first, NodeId last) {
    const int self = static_cast<int>(tasks_.size());
    Task task;
    task.moves = Moves(stage_.graph.node(first));
    for (NodeId id = first; id <= last; ++id) {
      const Node& node = stage_.graph.node(id);
      task.seconds += step_.nodes[static_cast<size_t>(id)].seconds;
      for (const ValueId read : ReadsOf(node)) {
        if (read == kNone) continue;
        task.needs.push_back(made_by_[static_cast<size_t>(read)]);
        read_by_[static_cast<size_t>(read)].push_back(self);
      }
      for (const ValueId made : node.outputs) {
        if (made == kNone) continue;
        made_by_[static_cast<size_t>(made)] = self;
        // A new value of a state comes after all that read the old one.
        for (const ValueId old : replaces_[static_cast<size_t>(made)])
          for (const int reader : read_by_[static_cast<size_t>(old)]) task.needs.push_back(reader);
      }
    }
    std::ranges::sort(task.needs);
    task.needs.erase(std::ranges::unique(task.needs).begin(), task.needs.end());
    std::erase_if(task.needs, [&](int need) { return need < 0 || need == self; });
    tasks_.push_back(std::move(task));
  }

  const StepParts& step_;
  const Stage& stage_;
  const std::vector<bool> once_;                // by node
  std::vector<NodeId> last_of_;                 // by node: the end of the group that it begins
  std::vector<int> made_by_;                    // by value: a task, or -1
  std::vector<std::vector<int>> read_by_;       // by value: tasks of this micro-batch
  std::vector<std::vector<ValueId>> replaces_;  // by value: states
  std::vector<Task> tasks_;
};

// Fixes the order of each stream, by task.moves.
class Placer {
 public:
  explicit Placer(const std::vector<Task>& tasks) : tasks_(tasks), places_(tasks.size()) {
    for (size_t t = 0; t < tasks.size(); ++t) {
      streams_[tasks[t].moves].tasks.push_back(static_cast<int>(t));
      places_[t].needs = std::ssize(tasks[t].needs);
    }
  }

  // Of compute, of collectives.
  std::pair<std::vector<int>, std::vector<int>> Run() {
    for (size_t placed = 0; placed < tasks_.size(); ++placed) {
      const std::optional<int> node = Next(streams_[0]), collective = Next(streams_[1]);
      const bool moves =
          collective &&
          (!node || (waiting_ < kMostWaiting && StartOf(*collective) <= StartOf(*node)));
      Place(moves ? *collective : *node);
    }
    return {std::move(streams_[0].order), std::move(streams_[1].order)};
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
    std::vector<int> order = {};
  };

  const Task& At(int task) const { return tasks_[static_cast<size_t>(task)]; }
  Placing& PlaceOf(int task) { return places_[static_cast<size_t>(task)]; }
  double StartOf(int task) { return std::max(streams_[At(task).moves].now, PlaceOf(task).ready); }

  // The task of the window that can start first; of several, the first.
  std::optional<int> Next(OneStream& stream) {
    while (stream.head < stream.tasks.size() && PlaceOf(stream.tasks[stream.head]).placed)
      ++stream.head;
    std::optional<int> best;
    size_t seen = 0;
    for (size_t i = stream.head; i < stream.tasks.size() && seen < kWindow; ++i) {
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
    stream.now = StartOf(task) + At(task).seconds;
    stream.order.push_back(task);
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

  const std::vector<Task>& tasks_;
  std::vector<Placing> places_;  // by task
  OneStream streams_[2];         // of compute, of collectives
  int waiting_ = 0;              // collectives that are placed, but none of their readers
};

// Adds up the time of both streams in a given order.
class Clock {
 public:
  Clock(const std::vector<Task>& tasks, double slowdown) : tasks_(tasks), slowdown_(slowdown) {
    for (const Task& task : tasks) needs_.push_back(std::ssize(task.needs));
  }

  double Run(const std::vector<int>& compute, const std::vector<int>& collectives) {
    OneStream streams[2] = {{compute}, {collectives}};
    double now = 0;
    while (true) {
      for (OneStream& stream : streams) Start(stream);
      const bool slow = streams[0].runs && streams[1].runs;
      const double rates[2] = {slow ? 1 / slowdown_ : 1, 1};
      double until = kNever;
      for (size_t s = 0; s < 2; ++s)
        if (streams[s].runs) until = std::min(until, streams[s].left / rates[s]);
      if (until == kNever) return now;
      now += until;
      for (size_t s = 0; s < 2; ++s) {
        if (!streams[s].runs) continue;
        const bool ends = streams[s].left / rates[s] <= until;
        streams[s].left -= until * rates[s];
        if (ends) End(streams[s]);
      }
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct OneStream {
    const std::vector<int>& order;
    size_t next = 0;
    bool runs = false;
    double left = 0;  // seconds at full speed
  };

  void Start(OneStream& stream) const {
    if (stream.runs || stream.next == stream.order.size()) return;
    const size_t task = static_cast<size_t>(stream.order[stream.next]);
    if (needs_[task] > 0) return;
    stream.runs = true;
    stream.left = tasks_[task].seconds;
  }

  void End(OneStream& stream) {
    for (const int reader : tasks_[static_cast<size_t>(stream.order[stream.next])].readers)
      --needs_[static_cast<size_t>(reader)];
    ++stream.next;
    stream.runs = false;
  }

  const std::vector<Task>& tasks_;
  const double slowdown_;
  std::vector<int64_t> needs_;  // by task: tasks that are not done
};

double SecondsOf(const StepParts& step, int micro_batches) {
  const std::vector<Task> tasks = TaskLister(step).Run(micro_batches);
  const auto [compute, collectives] = Placer(tasks).Run();
  return Clock(tasks, step.slowdown).Run(compute, collectives);
}

}  // namespace

Overlapped OverlappedOf(const StepParts& step) {
  const Graph& graph = OnlyStage(step.program).graph;
  const std::vector<bool> once = NodesRunOnce(graph);
  const int batches = step.program.micro_batches();
  double compute = 0, communication = 0;
  for (size_t n = 0; n < once.size(); ++n)
    (Moves(graph.nodes[n]) ? communication : compute) +=
        (once[n] ? 1 : batches) * step.nodes[n].seconds;
  if (communication == 0) return {step.start_seconds + compute, 0, 0};
  double seconds = SecondsOf(step, std::min(batches, kMostScheduled));
  if (batches > kMostScheduled)
    seconds += (batches - kMostScheduled) * (seconds - SecondsOf(step, kMostScheduled - 1));
  const double exposed = std::clamp(seconds - compute, 0.0, communication);
  return {step.start_seconds + compute + exposed, exposed, communication - exposed};
}

}  // namespace metadist
