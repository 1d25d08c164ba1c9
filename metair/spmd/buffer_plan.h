// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

// Where the bytes of every value of a rank's graph lie. The executor allocates what this says and
// the planner predicts memory with it, so the two agree by construction.
namespace metadist {

struct BufferPlan {
  enum class Place : uint8_t {
    kNone,      // no bytes on this rank
    kResident,  // inputs, parameters, constants: a buffer of their own for the whole run
    kArena,     // results: at `offset` of the arena while they live
  };
  struct Slot {
    Place place = Place::kNone;
    int64_t offset = 0;  // kArena: bytes from the start of the arena, a multiple of 64
    int64_t bytes = 0;
    ValueId root = kNone;  // the value whose buffer this is: itself, or what a view looks into
    NodeId first = 0;      // nodes during which the root's buffer is live, both included
    NodeId last = 0;
    bool packed = false;  // kResident: several elements in a byte (metair/ir/packing.h)
    // kResident, of a state: from this node on it holds what the next step begins with. kNone: it
    // never changes while the step runs.
    NodeId rewritten = kNone;
  };
  // A packed value as one node reads it: an element in each byte.
  struct Unpacking {
    NodeId node = 0;
    ValueId value = kNone;
  };

  std::vector<Slot> slots;            // by value id, and behind them one for each unpacking
  std::vector<Unpacking> unpackings;  // by node
  int64_t parameter_bytes = 0;
  int64_t constant_bytes = 0;
  int64_t input_bytes = 0;
  int64_t arena_bytes = 0;  // size of the arena
  int64_t live_bytes = 0;   // most bytes of the arena live at once: what no packing can beat

  int64_t resident_bytes() const { return parameter_bytes + constant_bytes + input_bytes; }
  int64_t peak_bytes() const { return resident_bytes() + arena_bytes; }
};

// Bytes of a value; 0 where its sizes are known only when it is made.
int64_t KnownBytes(const TensorType& type);

// Which values are held packed, by id: parameters and constants of elements of 4 and 2 bits that
// only nodes read which can be handed a copy - not views, collectives and bodies of nodes - and
// that are no state.
std::vector<bool> HeldPacked(const Graph& graph, const OpTable& ops);

// graph: local shapes (Instantiate), no run-time sizes. A view (OpDef::view, TakesHead) shares its
// input's buffer; graph outputs live to the end. What a state becomes (Graph::state) is written
// over what it was where nothing reads that any more: its root is the input then. Elsewhere it is
// copied when the step ends. Cost: quadratic in the number of results that live together.
BufferPlan PlanBuffers(const Graph& graph, const OpTable& ops);

}  // namespace metadist
