// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/device/device.h"
#include "executor/host/run_options.h"
#include "metair/ir/result.h"
#include "metair/spmd/program.h"
#include "metair/spmd/timeline.h"

namespace metadist {

struct NodeTime {
  int stage = 0;
  int micro_batch = 0;
  NodeId node = kNone;         // kNone: a channel from the stage
  std::vector<NodeId> others;  // run together with it as a chain
  // "MatMul/onednn", "Softmax/reference", "AllReduce", "Add/loop+Relu/loop" of a chain, "Send", ...
  std::string kernel;
  double seconds = 0;  // median over the measured steps of the maximum over ranks
  // Mean over the quickest tenth of the steps and over the ranks: the time of the node with little
  // interference by other programs. If ranks share cores, the quickest rank's time instead, since
  // the others' times include turns of their neighbours.
  double quiet_seconds = 0;
};

struct CollectiveCount {
  int64_t count = 0;
  int64_t bytes = 0;  // received by the busiest rank, see ReceivedBytes in metair/spmd/collective.h
};

// Communication per step and rank: what a step takes beyond its nodes, and the rest.
struct OverlapTimes {
  double exposed_seconds = 0;
  double hidden_seconds = 0;
};

struct RunResult {
  std::vector<std::pair<std::string, Tensor>> outputs;  // whole tensors, by stage, in the graph's
                                                        // order
  // By output of one float, its value at every step, warm-up included; RunOptions::watch.
  std::vector<std::pair<std::string, std::vector<double>>> scalars;
  std::vector<double> step_seconds;  // of each measured step, from the first
                                     // rank's start to the last one's end
  double median_seconds = 0;
  double p10_seconds = 0;
  double p90_seconds = 0;
  double quiet_seconds = 0;                            // mean over the quickest tenth of the steps
  std::optional<OverlapTimes> overlap;                 // if collectives overlapped nodes
  std::vector<NodeTime> nodes;                         // in the order of the schedule, then of the
                                                       // program
  std::map<std::string, CollectiveCount> collectives;  // of one step, by kind, without local ones
  std::vector<RankMemory> memory;                      // by rank
  int64_t peak_bytes = 0;                              // of the rank with the highest peak
  Timeline timeline;                                   // of the last step; RunOptions::trace
  std::vector<std::string> reference_ops;              // operators run by their reference kernel
};

// Runs the program with one thread per rank, and assembles the outputs. Weights and inputs are
// given by value name; other parameters take the data in the program's graphs. State starts as
// given by the inputs, and every step, including warm-up steps, continues from the previous one.
// Collectives that overlap nodes run on a second thread of each rank, if the options say so or
// there are cores for it. Errors: kBadInput (inputs or parameters without data, all listed at once;
// wrong element types or shapes; calls that a kernel rejects), kDevice (a rank is late or failed),
// kInterrupted.
Result<RunResult> RunProgram(const Program& program,
                             const NamedTensors& weights,
                             const NamedTensors& inputs,
                             const RunOptions& options = {});

// A program that runs the whole graph on one rank.
Program SingleDevice(const Graph& graph);

}  // namespace metadist
