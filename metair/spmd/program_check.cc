// SPDX-License-Identifier: Apache-2.0
// Requirements on every program, whether written by a planner or by a person.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "metair/ir/micro_batches.h"
#include "metair/spmd/program.h"

namespace metadist {
namespace {

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}

  Result<void> Run() {
    if (program_.stages.empty()) Say("", "a program must have a stage");
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      CheckRanks(static_cast<int>(s));
      CheckState(static_cast<int>(s));
      CheckFused(static_cast<int>(s));
    }
    for (const Channel& channel : program_.channels) CheckChannel(channel);
    if (problems_.empty()) CheckSchedule();
    if (problems_.empty()) CheckBatched();
    if (!problems_.empty()) return Join(std::move(problems_));
    return {};
  }

 private:
  void Say(const std::string& where, const std::string& what) {
    problems_.push_back(BadInput(where, what));
  }

  void CheckRanks(int index) {
    const Stage& stage = program_.stages[static_cast<size_t>(index)];
    const std::string where = fmt::format("stage {}", index);
    const std::set<int64_t> distinct(stage.ranks.begin(), stage.ranks.end());
    if (distinct.size() != stage.ranks.size() ||
        !std::is_sorted(stage.ranks.begin(), stage.ranks.end()))
      Say(where, "ranks must ascend, each named once");
    if (static_cast<int64_t>(stage.ranks.size()) != stage.mesh.ranks())
      Say(where,
          fmt::format("mesh {} needs {} ranks, got {}",
                      MeshText(stage.mesh),
                      stage.mesh.ranks(),
                      stage.ranks.size()));
  }

  // On each rank, the state at the end of a step must be the state that the next one starts with.
  void CheckState(int index) {
    const Stage& stage = program_.stages[static_cast<size_t>(index)];
    if (stage.graph.micro_batches != 1)
      Say(fmt::format("stage {}", index), "the schedule says how many micro-batches there are");
    for (const StatePair& pair : stage.graph.state)
      if (stage.ShardingOf(pair.input) != stage.ShardingOf(pair.output))
        Say(fmt::format("stage {}, state '{}'", index, stage.graph.value(pair.input).name),
            fmt::format("both ends must be sharded alike, got {} and {}",
                        ShardingText(stage.ShardingOf(pair.input), stage.mesh),
                        ShardingText(stage.ShardingOf(pair.output), stage.mesh)));
  }

  // Groups list nodes in the order of the program; no collective stands in or between their nodes.
  void CheckFused(int index) {
    const Stage& stage = program_.stages[static_cast<size_t>(index)];
    const std::string where = fmt::format("stage {}, fused nodes", index);
    NodeId last = kNone;
    for (const FusedNodes& group : stage.fused) {
      if (group.size() < 2) Say(where, "a group must have two nodes or more");
      for (const NodeId node : group) {
        if (node < 0 || static_cast<size_t>(node) >= stage.graph.nodes.size())
          return Say(where, fmt::format("no node {}", node));
        if (node <= last)
          Say(where,
              fmt::format("nodes must ascend, each named once, '{}' does not",
                          stage.graph.node(node).name));
        last = std::max(last, node);
      }
      if (!group.empty()) CheckNoCollective(where, stage.graph, group.front(), group.back());
    }
  }

  void CheckNoCollective(const std::string& where, const Graph& graph, NodeId first, NodeId last) {
    for (NodeId node = first; node <= last; ++node)
      if (CollectiveOf(graph.node(node)))
        Say(where,
            fmt::format("'{}' moves data between ranks and cannot stand in a group",
                        graph.node(node).name));
  }

  const Stage* StageAt(int index) const {
    const bool exists = index >= 0 && index < static_cast<int>(program_.stages.size());
    return exists ? &program_.stages[static_cast<size_t>(index)] : nullptr;
  }

  void CheckChannel(const Channel& channel) {
    const Stage* from = StageAt(channel.from);
    const Stage* to = StageAt(channel.to);
    if (from == nullptr || to == nullptr || channel.output >= from->graph.outputs.size() ||
        channel.input >= to->graph.inputs.size())
      return Say("channel", "both ends must exist");
    const ValueId output = from->graph.outputs[channel.output];
    const ValueId input = to->graph.inputs[channel.input];
    const std::string where = fmt::format("channel from '{}' of stage {} to '{}' of stage {}",
                                          from->graph.value(output).name,
                                          channel.from,
                                          to->graph.value(input).name,
                                          channel.to);
    const TensorType& sent = from->graph.value(output).type;
    const TensorType& received = to->graph.value(input).type;
    if (channel.from == channel.to) Say(where, "the stages must differ");
    if (sent != received)
      Say(where,
          fmt::format("types must be the same, got {} and {}", TypeText(sent), TypeText(received)));
    if (!IsKnown(sent.shape)) Say(where, "sizes must be known before running");
    if (!from->ShardingOf(output).partial.empty() || !to->ShardingOf(input).partial.empty())
      Say(where, "values that are partial cannot be sent");
    if (!fed_.insert({channel.to, channel.input}).second) Say(where, "the input is fed twice");
    for (const StatePair& pair : to->graph.state)
      if (pair.input == input) Say(where, "a state cannot be received");
  }

  // Checks the order in which stages process micro-batches, by positions in the schedule.
  void CheckSchedule() {
    std::map<std::pair<int, int>, int> when;
    int micro_batches = 0;
    for (size_t i = 0; i < program_.schedule.size(); ++i) {
      const ScheduleStep& step = program_.schedule[i];
      if (StageAt(step.stage) == nullptr || step.micro_batch < 0)
        return Say("schedule", fmt::format("no stage {}", step.stage));
      if (step.micro_batch >= static_cast<int64_t>(program_.schedule.size()))
        return Say("schedule", "every stage must take every micro-batch");
      micro_batches = std::max(micro_batches, step.micro_batch + 1);
      if (!when.emplace(std::pair(step.stage, step.micro_batch), static_cast<int>(i)).second)
        Say("schedule",
            fmt::format("stage {} takes micro-batch {} twice", step.stage, step.micro_batch));
    }
    if (when.size() != program_.stages.size() * static_cast<size_t>(micro_batches) ||
        micro_batches == 0)
      return Say("schedule", "every stage must take every micro-batch");
    const auto before = [&](int first, int batch, int second, int other) {
      if (when[{first, batch}] < when[{second, other}]) return;
      Say("schedule", fmt::format("{}:{} must come before {}:{}", first, batch, second, other));
    };
    for (int batch = 0; batch < micro_batches; ++batch)
      for (const Channel& channel : program_.channels) {
        before(channel.from, batch, channel.to, batch);
        if (batch + 1 < micro_batches) before(channel.to, batch, channel.from, batch + 1);
      }
    for (int stage = 0; stage < static_cast<int>(program_.stages.size()); ++stage)
      for (int batch = 0; batch + 1 < micro_batches; ++batch)
        before(stage, batch, stage, batch + 1);
  }

  // The type of an input or output with that name; nullptr if there is none.
  const TensorType* TypeOfEnd(const std::string& name) const {
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      const Stage& stage = program_.stages[s];
      for (size_t i = 0; i < stage.graph.inputs.size(); ++i) {
        const Value& value = stage.graph.value(stage.graph.inputs[i]);
        if (value.name == name && !program_.IsReceived(static_cast<int>(s), i)) return &value.type;
      }
      for (size_t i = 0; i < stage.graph.outputs.size(); ++i)
        if (stage.NameOfOutput(i) == name && !program_.IsSent(static_cast<int>(s), i))
          return &stage.graph.value(stage.graph.outputs[i]).type;
    }
    return nullptr;
  }

  void CheckBatched() {
    for (const std::string& name : program_.batched) {
      const TensorType* type = TypeOfEnd(name);
      if (type == nullptr)
        Say("batched", fmt::format("no input or output is called '{}'", name));
      else if (type->shape.empty())
        Say("batched", fmt::format("'{}' has no dim 0", name));
    }
  }

  const Program& program_;
  std::set<std::pair<int, size_t>> fed_;
  std::vector<Error> problems_;
};

}  // namespace

Result<void> CheckProgram(const Program& program) { return Checker(program).Run(); }

int64_t Program::ranks() const {
  int64_t count = 0;
  for (const Stage& stage : stages)
    for (int64_t rank : stage.ranks) count = std::max(count, rank + 1);
  return count;
}

int Program::micro_batches() const {
  int count = 0;
  for (const ScheduleStep& step : schedule) count = std::max(count, step.micro_batch + 1);
  return count;
}

bool Program::IsBatched(const std::string& name) const {
  return std::find(batched.begin(), batched.end(), name) != batched.end();
}

bool Program::IsReceived(int stage, size_t input) const {
  return std::any_of(channels.begin(), channels.end(), [&](const Channel& channel) {
    return channel.to == stage && channel.input == input;
  });
}

bool Program::IsSent(int stage, size_t output) const {
  return std::any_of(channels.begin(), channels.end(), [&](const Channel& channel) {
    return channel.from == stage && channel.output == output;
  });
}

const Stage& OnlyStage(const Program& program) {
  CHECK(program.stages.size() == 1, "a program of one stage is expected");
  return program.stages[0];
}

Stage& OnlyStage(Program& program) {
  CHECK(program.stages.size() == 1, "a program of one stage is expected");
  return program.stages[0];
}

Program OneStage(Stage stage) {
  stage.ranks.clear();
  for (int64_t rank = 0; rank < stage.mesh.ranks(); ++rank) stage.ranks.push_back(rank);
  Program program;
  program.stages.push_back(std::move(stage));
  Graph& graph = program.stages[0].graph;
  program.schedule = InOrder(1, static_cast<int>(graph.micro_batches));
  if (graph.micro_batches > 1)
    for (const ValueId id : BatchedInputs(graph)) program.batched.push_back(graph.value(id).name);
  graph.micro_batches = 1;
  return program;
}

std::vector<ScheduleStep> InOrder(int stages, int micro_batches) {
  std::vector<ScheduleStep> steps;
  for (int batch = 0; batch < micro_batches; ++batch)
    for (int stage = 0; stage < stages; ++stage) steps.push_back({stage, batch});
  return steps;
}

}  // namespace metadist
