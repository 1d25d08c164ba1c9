// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/local_entry.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

// What the planner lowers to and the executor runs: one program for all ranks of a stage.
namespace metadist {

// Integers of a call that depend on a rank's piece: one entry for each integer of a constant input
// or of an attribute. If two literals refer to the same input or attribute, they apply in order,
// the second to the result of the first; sizes come first.
struct LocalLiteral {
  int input = kNone;      // index among the node's inputs, or
  std::string attribute;  // name of an integer (list) attribute
  std::vector<LocalEntry> entries;
  bool operator==(const LocalLiteral&) const = default;
};
// The integers of the whole call that the literal changes; nullopt: none that are known.
std::optional<std::vector<int64_t>> WholeValues(const Graph& graph,
                                                const Node& node,
                                                const LocalLiteral& literal);

// Nodes of a graph that run as one, ascending.
using FusedNodes = std::vector<NodeId>;

// A graph run by a set of ranks, which form a mesh of their own. Values have their *global* types;
// shardings[v] is the sharding of value v. Nodes of domain "metadist" are collectives, all others
// run on local shapes.
struct Stage {
  std::vector<int64_t> ranks;  // ranks of the program, ascending: ranks[r] is rank r of the mesh
  Mesh mesh;
  Graph graph;
  std::vector<Sharding> shardings;                       // by value id
  std::map<NodeId, std::vector<LocalLiteral>> literals;  // nodes whose local literals differ
  // Results that only nodes of the same group read need not go through memory (fusion.h). A device
  // without kernels for it runs the nodes one by one.
  std::vector<FusedNodes> fused = {};
  // User-visible names of outputs, by position, where they differ from the value's name.
  std::map<size_t, std::string> output_names = {};

  const std::string& NameOfOutput(size_t position) const;
  const Sharding& ShardingOf(ValueId value) const { return shardings[static_cast<size_t>(value)]; }
};

// Connects an output of one stage to an input of another, once per micro-batch: the ranks of the
// first stage send, those of the second receive. Neither value is then an input or output of the
// program.
struct Channel {
  int from = 0;  // stages
  int to = 0;
  size_t output = 0;  // positions among the outputs and inputs of their graphs
  size_t input = 0;
  bool operator==(const Channel&) const = default;
};

struct ScheduleStep {
  int stage = 0;
  int micro_batch = 0;
  bool operator==(const ScheduleStep&) const = default;
};

// Stages may share ranks. A rank executes its steps in the order of the schedule; the outputs of a
// stage are sent directly after each of its steps. State (Graph::state) is carried from step to
// step. If a stage has sums over micro-batches, nodes that these do not need run for the last one
// only (metair/ir/micro_batches.h). The schedule says how many micro-batches there are.
struct Program {
  std::vector<Stage> stages;
  std::vector<Channel> channels = {};
  // Each stage once per micro-batch. A stage processes a micro-batch after the stages that feed it,
  // and before these process the next one: an input holds one micro-batch at a time.
  std::vector<ScheduleStep> schedule;
  // Names of inputs and outputs that are passed in and returned for all micro-batches at once,
  // concatenated along dim 0. Stages see one micro-batch. Other inputs are the same for all
  // micro-batches; other outputs are those of the last one.
  std::vector<std::string> batched = {};

  int64_t ranks() const;  // one more than the highest rank of any stage
  int micro_batches() const;
  bool IsBatched(const std::string& name) const;
  // Whether an input (output) of a stage, by position, is connected to another stage.
  bool IsReceived(int stage, size_t input) const;
  bool IsSent(int stage, size_t output) const;
};

// The stage of a program with exactly one.
const Stage& OnlyStage(const Program& program);
Stage& OnlyStage(Program& program);
// A program with one stage, run by all ranks of the mesh once for each micro-batch of its graph.
Program OneStage(Stage stage);
// All stages in order, for one micro-batch after the other.
std::vector<ScheduleStep> InOrder(int stages, int micro_batches);

// Checks the requirements stated above. Errors: kBadInput with all violations, among them types
// that differ between the ends of a channel, and batched names that no input or output has.
Result<void> CheckProgram(const Program& program);

// What a node reads or makes: global types and shardings, by position.
struct Operands {
  std::vector<TensorType> types;
  std::vector<Sharding> shardings;
};
// Records in a node's attributes which of its operands ranks hold in f32 (metair/ops/held_call.h).
void HoldSums(const Operands& inputs, const Operands& outputs, Attributes& attributes);

// The graph that a rank runs: local shapes, localized literals as separate constants, collectives
// kept. Data of parameters and of sharded constants is left absent (SliceLocal makes it). The first
// values of the result are those of stage.graph, in the same order. rank: of the stage's mesh.
Graph Instantiate(const Stage& stage, int64_t rank);

// The part of a whole tensor that a rank holds. Ignores partial axes.
Tensor SliceLocal(const Tensor& whole, const Sharding& sharding, const Mesh& mesh, int64_t rank);
// Writes a rank's part into a whole tensor, which must own its bytes.
void PlaceLocal(
    const Tensor& local, const Sharding& sharding, const Mesh& mesh, int64_t rank, Tensor& whole);

// The step a collective node of the stage performs.
CollectiveStep StepOf(const Stage& stage, NodeId node);

// The type of the array that the collective moves: of the types of its input and output, the
// narrower one.
const TensorType& MovedType(const Stage& stage, NodeId node);

// Readable listing: values with global type and sharding, nodes in order.
std::string ProgramText(const Program& program);
// Parses a listing; data of parameters and large constants is absent. Errors: kBadInput with the
// line.
Result<Program> ParseProgram(std::string_view text);

}  // namespace metadist
