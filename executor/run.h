// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"

namespace metadist {

struct RunOptions {
  int warm_up = 0;              // steps that are not measured
  int iterations = 1;           // measured steps, at least
  double min_seconds = 0;       // measure on until this much time has passed
  double timeout_seconds = 60;  // longest a rank waits for another
  bool trace = false;           // keep the events of the last step
  bool chains = true;           // run consecutive elementwise nodes as one, block by block
  // Fill parameters and inputs that have no data with seeded random values.
  bool random_weights = false;
  bool random_inputs = false;
  // Whose operators say what is legal, for values of that name and type; else the program's own.
  const Graph* drawn_for = nullptr;
  uint64_t seed = 0;
  // Inputs, parameters and what is no whole number of constants are moved by a rounding (Shaken),
  // each time another way; 0: not at all.
  uint64_t shake = 0;
  const std::atomic<bool>* interrupted = nullptr;  // looked at between steps
  const OpTable* ops = nullptr;                    // nullptr: the built-in operators
};

// A node, chain of nodes or collective of the last step as one rank saw it.
struct TraceEvent {
  int64_t rank = 0;
  NodeId node = kNone;
  std::vector<NodeId> others;  // of a chain
  bool collective = false;
  double start_seconds = 0;  // since the step began on the slowest rank
  double seconds = 0;
};

struct NodeTime {
  NodeId node = kNone;
  std::vector<NodeId> others;  // that run as one with it: a chain
  // "MatMul/onednn", "Softmax/reference", "AllReduce", "Add/loop+Relu/loop" of a chain, ...
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

// What one rank allocates, by a counting allocator.
struct RankMemory {
  int64_t parameter_bytes = 0;  // parameters and constants
  int64_t input_bytes = 0;
  int64_t arena_bytes = 0;    // everything the program computes
  int64_t scratch_bytes = 0;  // of the kernel that needs most and finds no gap in the arena

  int64_t peak() const { return parameter_bytes + input_bytes + arena_bytes + scratch_bytes; }
};

struct RunResult {
  std::vector<std::pair<std::string, Tensor>> outputs;  // whole, in the graph's order
  std::vector<double> step_seconds;                     // of each measured step, maximum over ranks
  double median_seconds = 0;
  double p10_seconds = 0;
  double p90_seconds = 0;
  double quiet_seconds = 0;                            // mean over the quickest tenth of the steps
  std::vector<NodeTime> nodes;                         // in program order
  std::map<std::string, CollectiveCount> collectives;  // of one step, by kind, local ones left out
  std::vector<RankMemory> memory;                      // by rank
  int64_t peak_bytes = 0;                              // of the rank with the most
  std::vector<TraceEvent> events;                      // with RunOptions::trace
  std::vector<std::string> reference_ops;  // operators run by their plain reference kernel
};

// Runs the program with one thread a rank, and puts the outputs together. Weights and inputs go by
// value name; parameters not named are those of the program's graph.
// Errors: kBadInput (an input or a parameter without data, all of them at once; an element type or
// a shape that differs; what a kernel refuses), kDevice (a rank is late or failed), kInterrupted.
Result<RunResult> RunProgram(const Program& program,
                             const NamedTensors& weights,
                             const NamedTensors& inputs,
                             const RunOptions& options = {});

// The whole graph on one rank.
Program SingleDevice(const Graph& graph);

// Seeded values for the inputs that lack a tensor, legal for the operators that use them: indices
// in range, positive where an operator needs it. Values do not depend on how the graph is cut.
NamedTensors RandomInputs(const Graph& graph, uint64_t seed, const OpTable& ops);
// The same for parameters without data, which RunProgram draws one by one: normal, scaled by the
// square root of their fan-in.
NamedTensors RandomWeights(const Graph& graph, uint64_t seed, const OpTable& ops);

}  // namespace metadist
