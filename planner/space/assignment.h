// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/program.h"
#include "metair/spmd/sharding.h"
#include "planner/space/call_layout.h"

namespace metadist {

// The type in which partial sums and products of f16 and bf16 values are held and sent.
enum class ReduceIn : uint8_t {
  kF32,   // rounded once, when the reduction is done
  kType,  // the value's own type: half the bytes, but partial sums are rounded and may overflow
};

// An input of indices that a rank counts from the start of its piece of a dim of `size` elements,
// cut by `view`. An index outside the piece becomes that of the element behind the piece.
struct CountedInput {
  int input = 0;
  int column = -1;        // only the indices at this position of the last dim; -1: all
  bool from_end = false;  // indices below 0 count from the end of the dim
  int64_t size = 0;
  DimSharding view = {};
  bool operator==(const CountedInput&) const = default;
};

struct Expansion;

// One way to run a node on a mesh: each axis works on one factor, passes partial values through, or
// repeats the work.
struct Strategy {
  std::vector<std::string> axes;  // by mesh axis: a factor's name, "~sum" (pass-through), or ""
  std::vector<Sharding> inputs;   // by input of the node; empty for an omitted input
  std::vector<Sharding> outputs;  // by output; empty for an unused output
  std::vector<LocalLiteral> literals = {};  // integers of the call that depend on the piece
  std::vector<CountedInput> indices = {};   // counted right before the node runs
  // By output: the sharding that the node itself makes, where that has more elements than
  // `outputs`; the rest is dropped at once. Empty: nothing to drop.
  std::vector<Sharding> made = {};
  const std::vector<Sharding>& made_outputs() const { return made.empty() ? outputs : made; }
  CallLayout layout() const { return {inputs, made_outputs(), literals}; }
  // The graph that runs in place of the node, if it runs as its decomposition. Determined by the
  // node, its rule and `axes`, so comparisons ignore it.
  std::shared_ptr<const Expansion> expansion = nullptr;

  bool operator==(const Strategy& other) const {
    return axes == other.axes && inputs == other.inputs && outputs == other.outputs &&
           literals == other.literals && indices == other.indices && made == other.made;
  }
};

// The decisions for a graph, complete enough to lower it: redistributions follow from them.
struct Assignment {
  std::vector<Strategy> nodes;  // by node id
  // By value id. For an input, parameter or constant: how it is stored. For a result: how it is
  // kept for its uses; if the producer makes it differently, it is redistributed at once.
  std::vector<Sharding> values;
  std::vector<Sharding> outputs;  // by position among the graph's outputs; never partial
  // By node: nodes with the same number replace one node, and share the redistributed operands of
  // their uses; -1: a node of its own. Empty: -1 for all.
  std::vector<int32_t> group = {};
};

// A graph on the mesh. As a node's decomposition, its inputs are the node's present inputs, in
// order, sharded as the strategy takes them; its outputs are the node's outputs, sharded as the
// strategy makes them.
struct Expansion {
  Graph graph;
  Assignment assignment;
};

}  // namespace metadist
