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

// A graph run by a set of ranks. Values have their *global* types; shardings[v] says what part of
// value v a rank holds. Nodes of domain "metadist" are collectives, all others run on local shapes.
struct Stage {
  std::vector<int64_t> ranks;  // ascending
  Graph graph;
  std::vector<Sharding> shardings;                       // by value id
  std::map<NodeId, std::vector<LocalLiteral>> literals;  // nodes whose literals differ from global
  // What users call an output, by its position, where its value has another name.
  std::map<size_t, std::string> output_names = {};

  const std::string& NameOfOutput(size_t position) const;
};

struct ScheduleStep {
  int stage = 0;
  int micro_batch = 0;
};

struct Program {
  Mesh mesh;
  std::vector<Stage> stages;
  std::vector<ScheduleStep> schedule;  // each stage once per micro-batch, in a legal order
};

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
Graph Instantiate(const Stage& stage, const Mesh& mesh, int64_t rank);

// The part of a whole tensor that a rank holds. Partial axes are ignored.
Tensor SliceLocal(const Tensor& whole, const Sharding& sharding, const Mesh& mesh, int64_t rank);
// Writes a rank's part into a whole tensor of owned bytes.
void PlaceLocal(
    const Tensor& local, const Sharding& sharding, const Mesh& mesh, int64_t rank, Tensor& whole);

// The step a collective node of the stage performs.
CollectiveStep StepOf(const Stage& stage, const Mesh& mesh, NodeId node);

// The type of the array that it moves: of both ends as ranks hold them, the narrower one.
const TensorType& MovedType(const Stage& stage, NodeId node);

// Readable listing: values with global type and sharding, nodes in order.
std::string ProgramText(const Program& program);
// The inverse; bytes of parameters and large constants are absent. Errors: kBadInput with the line.
Result<Program> ParseProgram(std::string_view text);

}  // namespace metadist
