// SPDX-License-Identifier: Apache-2.0
// The schedule lists the steps of all stages in one order, and every rank takes the steps of its
// own stages and channels in that order. The ranks of a channel meet right after the sender's step;
// by then the receivers have consumed their previous input, which CheckProgram verifies. So ranks
// wait for one another in one global order, and none waits forever.
#include "executor/run/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace metadist {
namespace {

Result<void> CheckRuns(const Stage& stage, const OpTable& ops) {
  std::vector<Error> problems;
  for (const Value& value : stage.graph.values)
    if (!IsKnown(value.type.shape))
      problems.push_back(BadInput("value '" + value.name + "'",
                                  "sizes must be known before running, got " + TypeText(value.type),
                                  "such models can be planned, but not run"));
  for (const Node& node : stage.graph.nodes)
    if (!CollectiveOf(node) && ops.Find(node) == nullptr)
      problems.push_back(BadInput(fmt::format("node '{}' ({})", node.name, node.op),
                                  "the operator must have a kernel to run, got one that is unknown",
                                  "such models can be planned, but not run"));
  for (ValueId id : stage.graph.outputs)
    if (!stage.ShardingOf(id).partial.empty())
      problems.push_back(Internal("output '" + stage.graph.value(id).name + "' is a partial sum"));
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

ChannelEnd EndOf(const Stage& stage, ValueId value) {
  return {&stage.ShardingOf(value), &stage.mesh, &stage.ranks};
}

bool Has(const std::vector<int64_t>& ranks, int64_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Whether a rank of the mesh is the first of those that hold the same data under the sharding.
bool IsFirstHolder(const Sharding& sharding, const Mesh& mesh, int64_t rank) {
  const std::vector<int> cutting = sharding.CuttingAxes();
  const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
  for (size_t axis = 0; axis < coordinate.size(); ++axis)
    if (coordinate[axis] != 0 &&
        std::find(cutting.begin(), cutting.end(), static_cast<int>(axis)) == cutting.end())
      return false;
  return true;
}

}  // namespace

Result<SharedPlan> PlanRun(const Program& program, const OpTable& ops) {
  TRY(CheckProgram(program));
  SharedPlan plan;
  plan.program = &program;
  plan.ops = &ops;
  for (const Stage& stage : program.stages) {
    TRY(CheckRuns(stage, ops));
    plan.transfers.push_back(TRY(PlanStageTransfers(stage)));
  }
  for (const Channel& channel : program.channels) {
    const Stage& from = program.stages[static_cast<size_t>(channel.from)];
    const Stage& to = program.stages[static_cast<size_t>(channel.to)];
    const ValueId output = from.graph.outputs[channel.output];
    const ValueId input = to.graph.inputs[channel.input];
    plan.channels.push_back(PlanChannel(
        from.graph.value(output).type, EndOf(from, output), EndOf(to, input), program.ranks()));
  }
  return plan;
}

Result<std::unique_ptr<RankProgram>> RankProgram::Make(const SharedPlan& plan,
                                                       Transport& world,
                                                       Device& device,
                                                       const DataMaker& data,
                                                       SecondStream* second) {
  std::unique_ptr<RankProgram> made(new RankProgram(plan, world, device, second));
  TRY(made->AddStages(data));
  TRY(made->AddChannels());
  made->AddSteps();
  return made;
}

Result<void> RankProgram::AddStages(const DataMaker& data) {
  const Program& program = *plan_.program;
  for (int s = 0; s < static_cast<int>(program.stages.size()); ++s) {
    const Stage& stage = program.stages[static_cast<size_t>(s)];
    const bool runs = Has(stage.ranks, world_.rank());
    groups_.push_back(TRY(world_.Split(/*color=*/runs ? 0 : 1, world_.rank())));
    if (!runs) continue;
    Transport& ranks = *groups_.back();
    const LocalData source = data(s, ranks);
    stages_[s] = TRY(StageProgram::Make(
        {program, s, plan_.transfers[static_cast<size_t>(s)], *plan_.ops, ranks, device_, source}));
  }
  return {};
}

Result<void> RankProgram::AddChannels() {
  const Program& program = *plan_.program;
  for (size_t c = 0; c < program.channels.size(); ++c) {
    const Channel& channel = program.channels[c];
    const std::vector<Transfer>& transfers = plan_.channels[c];
    TransferPart part{&transfers, nullptr, nullptr};
    if (const auto from = stages_.find(channel.from); from != stages_.end()) {
      const Graph& graph = program.stages[static_cast<size_t>(channel.from)].graph;
      part.source = from->second->At(graph.outputs[channel.output]);
    }
    if (const auto to = stages_.find(channel.to); to != stages_.end()) {
      const Graph& graph = program.stages[static_cast<size_t>(channel.to)].graph;
      part.target = to->second->At(graph.inputs[channel.input]);
    }
    const bool concerned = part.source != nullptr || part.target != nullptr;
    auto step = TRY(world_.Prepare({part}));
    channels_.push_back(concerned ? std::make_unique<Transport::Step>(std::move(step)) : nullptr);
  }
  return {};
}

// after: the node of the last collective on the second stream that must be done before; kNone:
// none.
void RankProgram::Add(CallName name, std::function<Result<void>()> run, NodeId after) {
  PreparedCall call{.work = {.run = std::move(run)}, .beside = name.beside};
  call.begun = static_cast<uint32_t>(second_calls_.size());
  // All of earlier positions in the schedule, and of its own those up to `after`.
  const auto awaited = [&](size_t begun) {
    return names_[begun].position < name.position || names_[begun].node <= after;
  };
  call.awaits = static_cast<uint32_t>(std::ranges::partition_point(second_calls_, awaited) -
                                      second_calls_.begin());
  if (name.beside) second_calls_.push_back(calls_.size());
  names_.push_back(std::move(name));
  calls_.push_back(std::move(call));
}

void RankProgram::AddWhenAllIsDone(CallName name, std::function<Result<void>()> run) {
  Add(std::move(name), std::move(run), std::numeric_limits<NodeId>::max());
}

void RankProgram::AddStage(const CallName& step, bool last) {
  StageProgram& stage = *stages_.at(step.stage);
  const auto named = [&](const char* what) {
    CallName name = step;
    name.kernel = what;
    return name;
  };
  const int batch = step.micro_batch;
  if (batch == 0 && stage.sums())
    AddWhenAllIsDone(named("ClearSums"), [&stage] { return stage.ClearSums(); });
  if (stage.loads()) AddWhenAllIsDone(named("Load"), [&stage, batch] { return stage.Load(batch); });
  NodeId after = kNone;
  for (const Call& call : stage.calls()) {
    after = std::max(after, call.after);
    if (!last && stage.RunsOnce(call)) continue;  // the next call waits in its place
    const bool beside = call.overlaps && second_ != nullptr;
    Add(
        {step.position,
         step.stage,
         batch,
         call.node,
         call.others,
         call.kernel,
         call.collective,
         beside},
        [&call] { return call.run(); },
        beside ? kNone : std::exchange(after, kNone));
  }
  if (stage.keeps()) AddWhenAllIsDone(named("Keep"), [&stage, batch] { return stage.Keep(batch); });
}

void RankProgram::AddSteps() {
  const Program& program = *plan_.program;
  const int micro_batches = program.micro_batches();
  for (size_t i = 0; i < program.schedule.size(); ++i) {
    CallName step;
    step.position = static_cast<int>(i);
    step.stage = program.schedule[i].stage;
    step.micro_batch = program.schedule[i].micro_batch;
    const auto own = stages_.find(step.stage);
    const bool last = step.micro_batch + 1 == micro_batches;
    if (own != stages_.end()) AddStage(step, last);
    for (size_t c = 0; c < program.channels.size(); ++c) {
      if (program.channels[c].from != step.stage || channels_[c] == nullptr) continue;
      CallName name = step;
      name.kernel = own != stages_.end() ? "Send" : "Receive";
      name.collective = true;
      AddWhenAllIsDone(name, [&run = *channels_[c]] { return run(); });
    }
    if (own == stages_.end() || !own->second->carries(last)) continue;
    step.kernel = "CarryState";
    AddWhenAllIsDone(step, [&stage = *own->second, last] { return stage.CarryState(last); });
  }
}

std::string RankProgram::TextOf(const CallName& call) const {
  const Stage& stage = plan_.program->stages[static_cast<size_t>(call.stage)];
  if (call.node == kNone) return fmt::format("{} of stage {}", call.kernel, call.stage);
  const Node& node = stage.graph.node(call.node);
  return fmt::format("node '{}' ({})", node.name, node.op);
}

Error RankProgram::Named(Error error, size_t index) const {
  return std::move(error).in(TextOf(names_[index]));
}

Error RankProgram::OfSecond(Error error) const {
  for (const size_t index : second_calls_)
    if (&calls_[index].work == second_->failed()) return Named(std::move(error), index);
  return error;
}

// Marks the ends of calls on this rank's thread, and the beginnings of those that wait.
Result<void> RankProgram::Step() {
  size_t marks = 0;
  TRY(device_.Mark(marks++));
  for (size_t i = 0; i < calls_.size(); ++i) TRY(Run(i, marks));
  if (second_ == nullptr) return {};
  auto done = second_->Wait();
  if (!done.ok()) return OfSecond(std::move(done).error());
  return {};
}

Result<void> RankProgram::Run(size_t index, size_t& marks) {
  PreparedCall& call = calls_[index];
  if (call.beside) {
    second_->Begin(call.work);
    return {};
  }
  if (call.awaits > 0) {
    auto done = second_->Wait(call.begun - call.awaits);
    if (!done.ok()) return OfSecond(std::move(done).error());
    TRY(device_.Mark(marks++));
  }
  auto ran = call.work.run();
  if (!ran.ok()) return Named(std::move(ran).error(), index);
  return device_.Mark(marks++);
}

Result<StepTimes> RankProgram::TimesOfStep() {
  const auto marks = TRY(device_.Marks());
  const auto seconds = [](Device::Clock::time_point at) {
    return std::chrono::duration<double>(at.time_since_epoch()).count();
  };
  StepTimes times;
  times.start = seconds(marks[0]);
  size_t mark = 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const SecondStream::Work& work = calls_[i].work;
    const bool beside = calls_[i].beside;
    if (!beside && calls_[i].awaits > 0) ++mark;
    times.begins.push_back(seconds(beside ? work.begin : marks[mark]));
    if (!beside) ++mark;
    times.ends.push_back(seconds(beside ? work.end : marks[mark]));
  }
  return times;
}

RankMemory RankProgram::memory() const {
  RankMemory all;
  for (const auto& [index, stage] : stages_) all += stage->memory();
  return all;
}

Result<std::vector<OutputParts>> RankProgram::OutputsWhere(bool scalar) const {
  std::vector<OutputParts> out;
  for (const auto& [index, program] : stages_) {
    const Stage& stage = plan_.program->stages[static_cast<size_t>(index)];
    for (size_t i = 0; i < stage.graph.outputs.size(); ++i) {
      if (plan_.program->IsSent(index, i)) continue;
      if (scalar && !IsOneFloat(stage.graph.value(stage.graph.outputs[i]).type)) continue;
      if (!IsFirstHolder(stage.ShardingOf(stage.graph.outputs[i]), stage.mesh, program->rank()))
        continue;
      out.push_back({index, i, TRY(program->Output(i))});
    }
  }
  return out;
}

}  // namespace metadist
