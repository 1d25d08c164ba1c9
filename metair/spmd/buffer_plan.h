// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

// Where the bytes of every value of a rank's graph are placed. The executor allocates by this plan
// and the planner predicts memory with it, so the two agree by construction.
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
    ValueId root = kNone;  // the value that owns this buffer: itself, or the value of which it is a
                           // view
    NodeId first = 0;      // nodes during which the root's buffer is live, both included
    NodeId last = 0;
    bool packed = false;  // kResident: several elements in a byte (metair/ir/packing.h)
    // kResident, of a state: the first node that overwrites it with the value for the next step.
    // kNone: it does not change during the step.
    NodeId rewritten = kNone;
  };
  // A packed value, unpacked for one node: one element per byte.
  struct Unpacking {
    NodeId node = 0;
    ValueId value = kNone;
  };

  std::vector<Slot> slots;            // by value id, followed by one for each unpacking
  std::vector<Unpacking> unpackings;  // by node
  std::vector<NodeId> done_before;    // by node, of collectives that overlap (overlapping.h)
  int64_t parameter_bytes = 0;
  int64_t constant_bytes = 0;
  int64_t input_bytes = 0;
  int64_t arena_bytes = 0;  // size of the arena
  int64_t live_bytes = 0;   // most bytes of the arena live at once: a lower bound of any packing

  int64_t resident_bytes() const { return parameter_bytes + constant_bytes + input_bytes; }
  int64_t peak_bytes() const { return resident_bytes() + arena_bytes; }
};

// Bytes of a value; 0 if its sizes are known only at run time.
int64_t KnownBytes(const TensorType& type);

// By value: the value whose bytes it shares, itself unless it is a view (OpDef::view,
// IsPrefixSlice).
std::vector<ValueId> ViewRoots(const Graph& graph, const OpTable& ops);

// Which values are held packed, by id: parameters and constants with elements of 4 or 2 bits that
// are not states, and are read only by nodes that accept copies: not by views, collectives or nodes
// with bodies.
std::vector<bool> HeldPacked(const Graph& graph, const OpTable& ops);

// By position in Graph::state: whether the new value can be written into the buffer of the old one,
// since nothing reads that any more, or only the node that writes (OpDef::overwrites).
std::vector<bool> UpdatedInPlace(const Graph& graph, const OpTable& ops);

// graph: local shapes (Instantiate), no run-time sizes. A view (OpDef::view, IsPrefixSlice) shares
// its input's buffer; graph outputs live to the end. The new value of a state (Graph::state) is
// written into the buffer of the old one if it can be (UpdatedInPlace); its root is then the input.
// Otherwise it is copied at the end of the step. What a collective reads and makes that overlaps
// nodes is live until it must be done. Cost: quadratic in the number of results
// that are live together.
BufferPlan PlanBuffers(const Graph& graph, const OpTable& ops);

}  // namespace metadist
