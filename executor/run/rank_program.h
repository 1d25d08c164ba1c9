// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executor/comm/transport.h"
#include "executor/device/device.h"
#include "executor/run/rank_report.h"
#include "executor/run/second_stream.h"
#include "executor/run/stage_program.h"
#include "metair/spmd/program.h"

namespace metadist {

// What all ranks of a run share, made once.
struct SharedPlan {
  const Program* program = nullptr;
  const OpTable* ops = nullptr;
  std::vector<StageTransfers> transfers;        // by stage
  std::vector<std::vector<Transfer>> channels;  // by channel, then by rank of the program
};
// Errors: kBadInput listing everything that prevents the program from running; kInternal.
Result<SharedPlan> PlanRun(const Program& program, const OpTable& ops);

// Makes the data source of a rank of a stage.
using DataMaker = std::function<LocalData(int stage, Transport& ranks_of_the_stage)>;

// Everything that one rank does in a step, ready to run. Made and run by the rank's thread.
class RankProgram {
 public:
  // Collective over all ranks of `world`. `world`, `device` and `plan` must outlive the program.
  // Errors: kBadInput and kInternal with the node; kDevice.
  // second: runs the collectives that overlap nodes; nullptr: they run in order with the nodes.
  static Result<std::unique_ptr<RankProgram>> Make(const SharedPlan& plan,
                                                   Transport& world,
                                                   Device& device,
                                                   const DataMaker& data,
                                                   SecondStream* second = nullptr);

  // Runs one step: everything the schedule has for this rank. Allocates nothing. Errors: with the
  // node.
  Result<void> Step();
  // Times of the last step.
  Result<StepTimes> TimesOfStep();
  const std::vector<CallName>& calls() const { return names_; }
  // Runs one of calls() alone.
  Result<void> RunCall(size_t index) { return calls_[index].work.run(); }
  RankMemory memory() const;
  Result<std::vector<OutputParts>> Outputs() const { return OutputsWhere(false); }
  // Only those of one float.
  Result<std::vector<OutputParts>> Scalars() const { return OutputsWhere(true); }

 private:
  struct PreparedCall {
    SecondStream::Work work;
    bool beside = false;  // on the second stream
    // Collectives of the step that were begun before it, and how many of these it waits for.
    uint32_t begun = 0;
    uint32_t awaits = 0;
  };

  RankProgram(const SharedPlan& plan, Transport& world, Device& device, SecondStream* second)
      : plan_(plan), world_(world), device_(device), second_(second) {}
  Result<void> AddStages(const DataMaker& data);
  Result<void> AddChannels();
  void AddSteps();
  void AddStage(const CallName& step, bool last);
  void Add(CallName name, std::function<Result<void>()> run, NodeId after);
  void AddWhenAllIsDone(CallName name, std::function<Result<void>()> run);
  Result<void> Run(size_t index, size_t& marks);
  Error Named(Error error, size_t index) const;
  Error OfSecond(Error error) const;
  std::string TextOf(const CallName& call) const;
  Result<std::vector<OutputParts>> OutputsWhere(bool scalar) const;

  const SharedPlan& plan_;
  Transport& world_;
  Device& device_;
  SecondStream* const second_;
  std::vector<std::unique_ptr<Transport>> groups_;          // by stage; also of stages this rank
                                                            // does not run
  std::map<int, std::unique_ptr<StageProgram>> stages_;     // stages of this rank
  std::vector<std::unique_ptr<Transport::Step>> channels_;  // nullptr: this rank takes no part
  std::vector<CallName> names_;
  std::vector<PreparedCall> calls_;
  std::vector<size_t> second_calls_;  // those of the second stream, in order
};

}  // namespace metadist
