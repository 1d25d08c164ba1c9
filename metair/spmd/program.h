// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/local_entry.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

// What the planner lowers and the executor runs: one text for all ranks of a stage.
namespace metadist {

// Integers of a call that follow the pieces: how each entry of a constant input (or of an
// attribute) does. Of two literals of one input or attribute the second moves what the first left;
// sizes come first.
struct LocalLiteral {
  int input = kNone;      // index among the node's inputs, or
  std::string attribute;  // name of an integer (list) attribute
  std::vector<LocalEntry> entries;
  bool operator==(const LocalLiteral&) const = default;
};

// Nodes of a graph that run as one, ascending.
using FusedNodes = std::vector<NodeId>;

// A graph run by a set of ranks, which form a mesh of their own. Values have their *global* types;
// shardings[v] says what part of value v a rank holds. Nodes of domain "metadist" are collectives,
// all others run on local shapes.
struct Stage {
  std::vector<int64_t> ranks;  // of the program, ascending: ranks[r] is rank r of the mesh
  Mesh mesh;
  Graph graph;
  std::vector<Sharding> shardings;                       // by value id
  std::map<NodeId, std::vector<LocalLiteral>> literals;  // nodes whose literals differ from global
  // What one node of a group makes for the others need not go through memory (fusion.h). A device
  // that has no such kernels runs them one by one.
  std::vector<FusedNodes> fused = {};
  // What users call an output, by its position, where its value has another name.
  std::map<size_t, std::string> output_names = {};

  const std::string& NameOfOutput(size_t position) const;
  const Sharding& ShardingOf(ValueId value) const { return shardings[static_cast<size_t>(value)]; }
};

// Hands an output of one stage to an input of another, once per micro-batch: the ranks of the first
// send, those of the second receive. Neither is an input or output of the program then.
struct Channel {
  int from = 0;  // stages
  int to = 0;
  size_t output = 0;  // positions among outputs and inputs of their graphs
  size_t input = 0;
  bool operator==(const Channel&) const = default;
};

struct ScheduleStep {
  int stage = 0;
  int micro_batch = 0;
  bool operator==(const ScheduleStep&) const = default;
};

// Stages may share ranks. A rank takes its steps in the order of the schedule; what a stage hands
// on is sent right after each of its steps. State (Graph::state) is carried from step to step.
struct Program {
  std::vector<Stage> stages;
  std::vector<Channel> channels = {};
  // Each stage once per micro-batch. A stage takes a micro-batch after the stages that feed it, and
  // before they take the next one: an input holds one micro-batch at a time.
  std::vector<ScheduleStep> schedule;
  // Inputs and outputs, by name, that are given and fetched for all micro-batches at once, one
  // behind the other along dim 0. Stages see one micro-batch. Other inputs are the same for all;
  // other outputs are those of the last one.
  std::vector<std::string> batched = {};

  int64_t ranks() const;  // one more than the highest rank of any stage
  int micro_batches() const;
  bool IsBatched(const std::string& name) const;
  // Whether an input (output) of a stage, by position, is fed by (feeds) another stage.
  bool IsReceived(int stage, size_t input) const;
  bool IsSent(int stage, size_t output) const;
};

// The stage of a program that has one.
const Stage& OnlyStage(const Program& program);
Stage& OnlyStage(Program& program);
// A program of one stage that all ranks of the mesh run, once.
Program OneStage(Stage stage);
// Each stage in order, for one micro-batch after the other.
std::vector<ScheduleStep> InOrder(int stages, int micro_batches);

// Errors: kBadInput with everything that is not as said above, or types of the two ends of a
// channel that differ, or a batched name that no input or output has.
Result<void> CheckProgram(const Program& program);

// What a node reads or makes: the model's types and how each value is sharded, by position.
struct Operands {
  std::vector<TensorType> types;
  std::vector<Sharding> shardings;
};
// Says in a node's attributes which of its operands ranks hold in f32 (metair/ops/held_call.h).
void HoldSums(const Operands& inputs, const Operands& outputs, Attributes& attributes);

// The graph a rank runs: local shapes, local literals as constants of their own, collectives kept.
// Data of parameters and of sharded constants is left absent (SliceLocal makes it).
// The first values of the result are those of stage.graph, in the same order.
// rank: of the stage's mesh.
Graph Instantiate(const Stage& stage, int64_t rank);

// The part of a whole tensor that a rank holds. Partial axes are ignored.
Tensor SliceLocal(const Tensor& whole, const Sharding& sharding, const Mesh& mesh, int64_t rank);
// Writes a rank's part into a whole tensor of owned bytes.
void PlaceLocal(
    const Tensor& local, const Sharding& sharding, const Mesh& mesh, int64_t rank, Tensor& whole);

// The step a collective node of the stage performs.
CollectiveStep StepOf(const Stage& stage, NodeId node);

// The type of the array that it moves: of both ends as ranks hold them, the narrower one.
const TensorType& MovedType(const Stage& stage, NodeId node);

// Readable listing: values with global type and sharding, nodes in order.
std::string ProgramText(const Program& program);
// The inverse; bytes of parameters and large constants are absent. Errors: kBadInput with the line.
Result<Program> ParseProgram(std::string_view text);

}  // namespace metadist
