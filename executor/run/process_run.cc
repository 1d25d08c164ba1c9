// SPDX-License-Identifier: Apache-2.0
// Before anything is prepared, rank 0 sends each rank the program as text and its parts of the
// data, value by value; so no other rank needs a file, and none holds more than its parts. Then all
// ranks run as threads do, and rank 0 gathers their reports.
#include "executor/run/process_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <utility>

#include "executor/comm/site.h"
#include "executor/cpu/kernel.h"
#include "executor/device/cpu_device.h"
#include "executor/host/bind_data.h"
#include "executor/measure/measure.h"
#include "executor/run/rank_run.h"
#include "executor/run/report_text.h"
#include "executor/run/run_report.h"

namespace metadist {
namespace {

constexpr char kEnd[] = "end";
constexpr char kEnded[] = "ended";

std::string BytesOf(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes()),
          static_cast<size_t>(tensor.type().bytes())};
}

Tensor FromBytes(const TensorType& type, const std::string& bytes) {
  Tensor tensor = Tensor::Unset(type);
  if (!bytes.empty()) std::memcpy(tensor.mutable_bytes(), bytes.data(), bytes.size());
  return tensor;
}

// A rank's parts of all values of its stages.
using Parts = std::map<std::pair<int, ValueId>, std::vector<Tensor>>;

// The values of a graph by name. Ids would not do: they change when the graph is written as text
// and parsed.
std::vector<ValueId> ByName(const Graph& graph) {
  std::vector<ValueId> ids(graph.values.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::sort(ids.begin(), ids.end(), [&](ValueId a, ValueId b) {
    return graph.value(a).name < graph.value(b).name;
  });
  return ids;
}

// Collects the constants and parameters in bodies of nodes, whose data the text of a program omits;
// the order is the same on every rank.
void CollectAbsent(Graph& graph, bool body, std::vector<Value*>& absent) {
  if (body)
    for (ValueId id : ByName(graph))
      if (const ValueKind kind = graph.value(id).kind;
          kind == ValueKind::kConstant || kind == ValueKind::kParameter)
        absent.push_back(&graph.value(id));
  for (Node& node : graph.nodes)
    for (Region& region : node.regions) {
      auto copy = std::make_shared<Graph>(*region.graph);
      CollectAbsent(*copy, /*body=*/true, absent);
      region.graph = std::move(copy);
    }
}

std::vector<Value*> BodyData(Program& program) {
  std::vector<Value*> out;
  for (Stage& stage : program.stages) CollectAbsent(stage.graph, /*body=*/false, out);
  return out;
}

// Calls visit(stage, value) for every value that is sent, in order.
template <typename Visitor>
Result<void> ForEachValue(const Program& program, Visitor visit) {
  for (size_t s = 0; s < program.stages.size(); ++s)
    for (ValueId id : ByName(program.stages[s].graph))
      if (program.stages[s].graph.value(id).kind != ValueKind::kResult)
        TRY(visit(static_cast<int>(s), id));
  return {};
}

Result<void> SendParts(Messenger& processes, const std::vector<Tensor>& parts, int to) {
  TRY(SendText(processes, std::to_string(parts.size()), to));
  for (const Tensor& part : parts) TRY(SendText(processes, BytesOf(part), to));
  return {};
}

Result<Parts> SendData(Messenger& processes, const Program& program, const WholeData& data) {
  Parts own;
  TRY(ForEachValue(program, [&](int stage, ValueId value) -> Result<void> {
    const Tensor whole = data.Take(stage, value);
    const std::vector<int64_t>& ranks = program.stages[static_cast<size_t>(stage)].ranks;
    for (size_t place = 0; place < ranks.size(); ++place) {
      std::vector<Tensor> parts =
          LocalParts(program, stage, value, static_cast<int64_t>(place), whole);
      if (ranks[place] == 0)
        own[{stage, value}] = std::move(parts);
      else
        TRY(SendParts(processes, parts, static_cast<int>(ranks[place])));
    }
    return {};
  }));
  return own;
}

Result<Parts> ReceiveData(Messenger& processes, const Program& program) {
  Parts own;
  TRY(ForEachValue(program, [&](int index, ValueId value) -> Result<void> {
    const Stage& stage = program.stages[static_cast<size_t>(index)];
    for (size_t place = 0; place < stage.ranks.size(); ++place) {
      if (stage.ranks[place] != processes.rank()) continue;
      TensorType type = stage.graph.value(value).type;
      type.shape =
          LocalShape(type.shape, stage.ShardingOf(value), stage.mesh, static_cast<int64_t>(place));
      const int count = std::stoi(TRY(ReceiveText(processes, 0)));
      for (int i = 0; i < count; ++i)
        own[{index, value}].push_back(FromBytes(type, TRY(ReceiveText(processes, 0))));
    }
    return {};
  }));
  return own;
}

// Runs one rank, whose data has arrived.
Result<RankReport> RunRank(Messenger& processes,
                           const SharedPlan& plan,
                           Parts parts,
                           const RunOptions& options) {
  try {
    const int ranks = static_cast<int>(plan.program->ranks());
    if (processes.rank() >= ranks) return RankReport();
    const auto world = MakeMessageTransport(processes, ranks);
    TRY(PlaceProcess(*world));
    const auto device = MakeCpuDevice({.fuse = options.fuse});
    const DataMaker data = [&](int stage, Transport&) -> LocalData {
      return [&parts, stage](ValueId value) { return std::exchange(parts[{stage, value}], {}); };
    };
    const auto program = TRY(RankProgram::Make(plan, *world, *device, data));
    return RepeatSteps(*program, *world, options);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

// Aborts all other ranks if this rank has failed.
template <typename T>
Result<T> OrAbort(Messenger& processes, Result<T> result) {
  if (!result.ok() && result.error().code != ErrorCode::kInterrupted)
    processes.Abort(result.error());
  return result;
}

Result<RunResult> Lead(Messenger& processes,
                       const SharedPlan& plan,
                       const WholeData& data,
                       const RunOptions& options) {
  Program sent = *plan.program;
  const std::vector<Value*> bodies = BodyData(sent);
  for (int rank = 1; rank < processes.size(); ++rank) {
    TRY(SendText(processes, ProgramText(*plan.program), rank));
    TRY(SendText(
        processes, fmt::format("{} {:d}{:d}", options.warm_up, options.watch, options.fuse), rank));
    for (const Value* value : bodies)
      TRY(SendText(processes, value->data.has_data() ? BytesOf(value->data) : "", rank));
  }
  Parts own = TRY(SendData(processes, *plan.program, data));
  std::vector<RankReport> reports = {TRY(RunRank(processes, plan, std::move(own), options))};
  for (int rank = 1; rank < processes.size(); ++rank) {
    RankReport report = TRY(ReportFromText(TRY(ReceiveText(processes, rank)), *plan.program, rank));
    if (rank < plan.program->ranks()) reports.push_back(std::move(report));
  }
  return ReportRun(*plan.program, std::move(reports), options);
}

Result<void> ServeOne(Messenger& processes, const std::string& text, const OpTable& ops) {
  Program program = TRY(ParseProgram(text));
  RunOptions options;
  // What ranks cannot read from the program's text.
  const std::string how = TRY(ReceiveText(processes, 0));
  options.warm_up = std::stoi(how);
  options.fuse = how.back() == '1';
  options.watch = how[how.size() - 2] == '1';
  for (Value* value : BodyData(program)) {
    const std::string bytes = TRY(ReceiveText(processes, 0));
    if (!bytes.empty()) value->data = FromBytes(value->type, bytes);
  }
  const SharedPlan plan = TRY(PlanRun(program, ops));
  Parts parts = TRY(ReceiveData(processes, program));
  const RankReport report = TRY(RunRank(processes, plan, std::move(parts), options));
  return SendText(processes, ReportText(report), 0);
}

}  // namespace

Result<RunResult> RunOnProcesses(Messenger& processes,
                                 const Program& program,
                                 const NamedTensors& weights,
                                 const NamedTensors& inputs,
                                 const RunOptions& options) {
  if (program.ranks() > processes.size())
    return Usage(fmt::format(
        "the program has {} ranks, but there are {} processes", program.ranks(), processes.size()));
  cpu::UseOneThread();
  const OpTable& ops = options.ops != nullptr ? *options.ops : OpTable::BuiltIn();
  const SharedPlan plan = TRY(PlanRun(program, ops));
  const WholeData data = TRY(WholeData::Bind(program, weights, inputs, options));
  return OrAbort(processes, Lead(processes, plan, data, options));
}

Result<void> ServeRuns(Messenger& processes, const OpTable& ops) {
  cpu::UseOneThread();
  for (;;) {
    const std::string text = TRY(ReceiveFromLeader(processes));
    if (text == kEnd) return SendText(processes, kEnded, 0);
    auto served = OrAbort(
        processes,
        IsMeasurement(text) ? ServeMeasurement(processes, text) : ServeOne(processes, text, ops));
    if (!served.ok() && served.error().code != ErrorCode::kInterrupted) return served;
  }
}

Result<void> EndRuns(Messenger& processes) {
  for (int rank = 1; rank < processes.size(); ++rank) TRY(SendText(processes, kEnd, rank));
  for (int rank = 1; rank < processes.size(); ++rank) TRY(ReceiveText(processes, rank));
  return {};
}

}  // namespace metadist
