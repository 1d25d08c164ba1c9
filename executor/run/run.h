// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "executor/device/device.h"
#include "executor/host/run_options.h"
#include "metair/ir/result.h"
#include "metair/spmd/program.h"

namespace metadist {

// A node, chain of nodes, collective or channel of the last step as one rank saw it.
struct TraceEvent {
  int64_t rank = 0;
  int stage = 0;
  int micro_batch = 0;
  NodeId node = kNone;         // kNone: a channel from the stage
  std::vector<NodeId> others;  // of a chain
  std::string kernel;          // as in NodeTime
  bool collective = false;
  double start_seconds = 0;  // since the step began on the slowest rank
  double seconds = 0;
};

struct NodeTime {
  int stage = 0;
  int micro_batch = 0;
  NodeId node = kNone;         // kNone: a channel from the stage
  std::vector<NodeId> others;  // that run as one with it: a chain
  // "MatMul/onednn", "Softmax/reference", "AllReduce", "Add/loop+Relu/loop" of a chain, "Send", ...
  std::string kernel;
  double seconds = 0;  // median over the measured steps of the maximum over ranks
  // Mean over the tenth of the steps that were quickest, and over the ranks: what the node takes
  // while other programs leave the machine alone. Where ranks share cores, of the rank that was
  // quickest, as the others' time holds turns of their neighbours.
  double quiet_seconds = 0;
};

struct CollectiveCount {
  int64_t count = 0;
  int64_t bytes = 0;  // the busiest rank receives, as metair/spmd/collective.h counts
};

struct RunResult {
  std::vector<std::pair<std::string, Tensor>> outputs;  // whole, by stage, in the graph's order
  std::vector<double> step_seconds;                     // of each measured step, maximum over ranks
  double median_seconds = 0;
  double p10_seconds = 0;
  double p90_seconds = 0;
  double quiet_seconds = 0;                            // mean over the quickest tenth of the steps
  std::vector<NodeTime> nodes;                         // in the order of schedule and program
  std::map<std::string, CollectiveCount> collectives;  // of one step, by kind, local ones left out
  std::vector<RankMemory> memory;                      // by rank
  int64_t peak_bytes = 0;                              // of the rank with the most
  std::vector<TraceEvent> events;                      // with RunOptions::trace
  std::vector<std::string> reference_ops;  // operators run by their plain reference kernel
};

// Runs the program with one thread a rank, and puts the outputs together. Weights and inputs go by
// value name; parameters not named are those of the program's graphs. State begins as the inputs
// say, and every step, also those to warm up, begins where the one before ended.
// Errors: kBadInput (an input or a parameter without data, all of them at once; an element type or
// a shape that differs; what a kernel refuses), kDevice (a rank is late or failed), kInterrupted.
Result<RunResult> RunProgram(const Program& program,
                             const NamedTensors& weights,
                             const NamedTensors& inputs,
                             const RunOptions& options = {});

// The whole graph on one rank.
Program SingleDevice(const Graph& graph);

}  // namespace metadist
