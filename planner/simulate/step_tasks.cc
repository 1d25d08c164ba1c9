// SPDX-License-Identifier: Apache-2.0
#include "planner/simulate/step_tasks.h"

#include <algorithm>
#include <utility>

#include "metair/ir/micro_batches.h"
#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

class TaskLister {
 public:
  explicit TaskLister(const StepParts& step)
      : step_(step),
        stage_(OnlyStage(step.program)),
        marked_(std::ranges::any_of(stage_.graph.nodes, Overlaps)),
        once_(NodesRunOnce(stage_.graph)),
        roots_(ViewRoots(stage_.graph, step.ops)),
        made_by_(stage_.graph.values.size(), -1),
        read_by_(stage_.graph.values.size()),
        replaces_(stage_.graph.values.size()) {
    for (size_t n = 0; n < once_.size(); ++n) last_of_.push_back(static_cast<NodeId>(n));
    for (const FusedNodes& group : stage_.fused)
      last_of_[static_cast<size_t>(group.front())] = group.back();
    for (const StatePair& pair : stage_.graph.state)
      replaces_[static_cast<size_t>(RootOf(pair.output))].push_back(RootOf(pair.input));
  }

  std::vector<StepTask> Run() {
    const NodeId end = static_cast<NodeId>(once_.size());
    for (NodeId node = 0; node < end; node = tasks_.back().last + 1) AddTask(node, EndOf(node));
    for (size_t t = 0; t < tasks_.size(); ++t)
      for (const int need : tasks_[t].needs)
        tasks_[static_cast<size_t>(need)].readers.push_back(static_cast<int>(t));
    return std::move(tasks_);
  }

 private:
  ValueId RootOf(ValueId value) const { return roots_[static_cast<size_t>(value)]; }

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
    const Node& head = stage_.graph.node(first);
    StepTask task;
    task.first = first;
    task.last = last;
    task.moves = marked_ ? Overlaps(head) : Communicates(head);
    task.once = once_[static_cast<size_t>(first)];
    if (!task.moves && Communicates(head))  // which all before it have to precede
      for (int other = 0; other < self; ++other)
        if (tasks_[static_cast<size_t>(other)].moves) task.needs.push_back(other);
    for (NodeId id = first; id <= last; ++id) {
      task.seconds += step_.nodes[static_cast<size_t>(id)].seconds;
      AddNeeds(stage_.graph.node(id), self, task);
    }
    std::ranges::sort(task.needs);
    const auto repeated = std::ranges::unique(task.needs);
    task.needs.erase(repeated.begin(), repeated.end());
    std::erase_if(task.needs, [&](int need) { return need < 0 || need == self; });
    tasks_.push_back(std::move(task));
  }

  void AddNeeds(const Node& node, int self, StepTask& task) {
    for (const ValueId read : ReadsOf(node)) {
      if (read == kNone) continue;
      task.needs.push_back(made_by_[static_cast<size_t>(read)]);
      read_by_[static_cast<size_t>(RootOf(read))].push_back(self);
    }
    for (const ValueId made : node.outputs) {
      if (made == kNone) continue;
      made_by_[static_cast<size_t>(made)] = self;
      for (const ValueId old : replaces_[static_cast<size_t>(made)])
        for (const int reader : read_by_[static_cast<size_t>(old)]) task.needs.push_back(reader);
    }
  }

  const StepParts& step_;
  const Stage& stage_;
  const bool marked_;                           // some collectives overlap
  const std::vector<bool> once_;                // by node
  const std::vector<ValueId> roots_;            // by value
  std::vector<NodeId> last_of_;                 // by node: the end of the group that it begins
  std::vector<int> made_by_;                    // by value: a task, or -1
  std::vector<std::vector<int>> read_by_;       // by root: tasks
  std::vector<std::vector<ValueId>> replaces_;  // by root: states
  std::vector<StepTask> tasks_;
};

}  // namespace

std::vector<StepTask> TasksOf(const StepParts& step) { return TaskLister(step).Run(); }

}  // namespace metadist
