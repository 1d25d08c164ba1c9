// SPDX-License-Identifier: Apache-2.0
//
// The streams run as a fluid: between two events, every running task proceeds at a constant rate.
#include "planner/simulate/overlap.h"

#include <algorithm>
#include <limits>

#include "metair/spmd/collective.h"

namespace metadist {
namespace {

class Clock {
 public:
  Clock(const std::vector<StepTask>& tasks, double slowdown, bool last)
      : tasks_(tasks), slowdown_(slowdown), needs_(tasks.size()) {
    OneStream& compute = streams_[0];
    for (int task = 0; task < std::ssize(tasks); ++task) {
      if (!last && At(task).once) continue;
      // Of what it needs, what does not run in this micro-batch was done before.
      streams_[At(task).moves].tasks.push_back({task, compute.tasks.size()});
      for (const int reader : At(task).readers) ++needs_[static_cast<size_t>(reader)];
    }
  }

  std::vector<TaskTimes> Run() {
    while (true) {
      for (OneStream& stream : streams_) Start(stream);
      const bool slow = streams_[0].runs && streams_[1].runs;
      const double rates[2] = {slow ? 1 / slowdown_ : 1, 1};
      double until = kNever;
      for (size_t s = 0; s < 2; ++s)
        if (streams_[s].runs) until = std::min(until, streams_[s].left / rates[s]);
      if (until == kNever) return std::move(times_);
      now_ += until;
      for (size_t s = 0; s < 2; ++s) {
        if (!streams_[s].runs) continue;
        const bool ends = streams_[s].left / rates[s] <= until;
        streams_[s].left -= until * rates[s];
        if (ends) End(streams_[s]);
      }
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Queued {
    int task = 0;
    size_t after = 0;  // nodes that stand before it
  };
  struct OneStream {
    std::vector<Queued> tasks = {};
    size_t next = 0;
    bool runs = false;
    double begin = 0;
    double left = 0;  // seconds at full speed
  };

  const StepTask& At(int task) const { return tasks_[static_cast<size_t>(task)]; }

  void Start(OneStream& stream) const {
    if (stream.runs || stream.next == stream.tasks.size()) return;
    const auto [task, after] = stream.tasks[stream.next];
    if (needs_[static_cast<size_t>(task)] > 0 || streams_[0].next < after) return;
    stream.runs = true;
    stream.begin = now_;
    stream.left = At(task).seconds;
  }

  void End(OneStream& stream) {
    const int task = stream.tasks[stream.next].task;
    for (const int reader : At(task).readers) --needs_[static_cast<size_t>(reader)];
    times_.push_back({task, stream.begin, now_ - stream.begin});
    ++stream.next;
    stream.runs = false;
  }

  const std::vector<StepTask>& tasks_;
  const double slowdown_;
  std::vector<int64_t> needs_;  // by task: tasks of the micro-batch that are not done
  OneStream streams_[2];        // of compute, of collectives
  double now_ = 0;
  std::vector<TaskTimes> times_;
};

double SecondsOf(const std::vector<TaskTimes>& batch) {
  double end = 0;
  for (const TaskTimes& task : batch) end = std::max(end, task.start_seconds + task.seconds);
  return end;
}

}  // namespace

std::vector<TaskTimes> TimesOfBatch(const std::vector<StepTask>& tasks,
                                    double slowdown,
                                    bool last) {
  return Clock(tasks, slowdown, last).Run();
}

Overlapped OverlappedOf(const StepParts& step) {
  const Graph& graph = OnlyStage(step.program).graph;
  const std::vector<StepTask> tasks = TasksOf(step);
  const int batches = step.program.micro_batches();
  double compute = 0, communication = 0;
  for (const StepTask& task : tasks)
    (CollectiveOf(graph.node(task.first)) ? communication : compute) +=
        (task.once ? 1 : batches) * task.seconds;
  const auto seconds_of = [&](bool last) {
    return SecondsOf(TimesOfBatch(tasks, step.slowdown, last));
  };
  double seconds = seconds_of(/*last=*/true);
  if (batches > 1) seconds += (batches - 1) * seconds_of(/*last=*/false);
  const double exposed = std::max(seconds - compute, 0.0);
  return {step.start_seconds + seconds, exposed, std::max(communication - exposed, 0.0)};
}

}  // namespace metadist
