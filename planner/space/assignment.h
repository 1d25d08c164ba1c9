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

// In what partial sums and products of f16 and bf16 values are held and travel.
enum class ReduceIn : uint8_t {
  kF32,   // rounded once, when the reduction is done
  kType,  // the value's own type: half the bytes; parts are rounded, and may overflow
};

// An input of indices that a rank counts within its piece of a dim: `size` elements cut by `view`.
// What points outside the piece points behind it.
struct CountedInput {
  int input = 0;
  int column = -1;        // only indices at this place of the last dim; -1: all
  bool from_end = false;  // indices below 0 count from the end of the dim
  int64_t size = 0;
  DimSharding view = {};
  bool operator==(const CountedInput&) const = default;
};

struct Expansion;

// One way to run a node on a mesh: every axis works on one factor, passes partial values through,
// or repeats the work.
struct Strategy {
  std::vector<std::string> axes;  // by mesh axis: a factor's name, "~sum" (pass-through), or ""
  std::vector<Sharding> inputs;   // by input of the node; empty for one left out
  std::vector<Sharding> outputs;  // by output; empty for one not wanted
  std::vector<LocalLiteral> literals = {};  // that follow the pieces
  std::vector<CountedInput> indices = {};   // counted right before the node runs
  // By output: as the node itself makes it, where that is more than `outputs` says; the rest is
  // dropped at once. Empty: nothing to drop.
  std::vector<Sharding> made = {};
  const std::vector<Sharding>& made_outputs() const { return made.empty() ? outputs : made; }
  CallLayout layout() const { return {inputs, made_outputs(), literals}; }
  // What runs in the node's place, where it runs as its decomposition. It follows from the node,
  // its rule and `axes`, so it plays no part in comparisons.
  std::shared_ptr<const Expansion> expansion = nullptr;

  bool operator==(const Strategy& other) const {
    return axes == other.axes && inputs == other.inputs && outputs == other.outputs &&
           literals == other.literals && indices == other.indices && made == other.made;
  }
};

// What was decided for a graph, and all that lowering needs beside it: redistributions follow.
struct Assignment {
  std::vector<Strategy> nodes;  // by node id
  // By value id. Of an input, parameter or constant: how it is stored. Of a result: how it is kept
  // for its uses; where the producer makes it otherwise, it is redistributed at once.
  std::vector<Sharding> values;
  std::vector<Sharding> outputs;  // by position among the graph's outputs; nothing is partial
  // By node: those of one number run in place of one node and share what is redistributed for their
  // uses; -1: on its own. Empty: all are.
  std::vector<int32_t> group = {};
};

// A node's decomposition on the mesh. Its inputs are the node's that are present, in order, and are
// placed as the strategy takes them; its outputs are the node's and are made as the strategy makes
// them.
struct Expansion {
  Graph graph;
  Assignment assignment;
};

}  // namespace metadist
