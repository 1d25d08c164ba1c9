// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "executor/device/call.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/program.h"

namespace metadist {

// The memory that one rank allocates.
struct RankMemory {
  int64_t parameter_bytes = 0;  // parameters and constants
  int64_t input_bytes = 0;
  int64_t arena_bytes = 0;    // everything the program computes
  int64_t scratch_bytes = 0;  // of the kernel with the largest scratch that fits no gap in the
                              // arena

  int64_t peak() const { return parameter_bytes + input_bytes + arena_bytes + scratch_bytes; }
  RankMemory& operator+=(const RankMemory& other);
};

// The addresses of a rank's values in its device's memory. Only the device, and transports to it,
// dereference them.
struct RankBuffers {
  std::vector<std::byte*> at;  // by value id
  std::byte* arena = nullptr;
  RankMemory memory;

  std::byte*& of(ValueId value) { return at[static_cast<size_t>(value)]; }
};

// The nodes of one rank's graph, prepared for a device. All objects it was made from must outlive
// it.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  // Prepares the nodes [first, last), none of which is a collective that moves data, after all
  // earlier nodes. May fold nodes into their readers, and may reorder values in memory, which it
  // records in `buffers`. Errors: kBadInput and kInternal with the node; kDevice.
  virtual Result<std::vector<Call>> Prepare(NodeId first, NodeId last) = 0;
  // Allocates memory shared by the calls; after all of them are prepared.
  virtual Result<void> Finish() = 0;
};

// One rank's device, made and used by the rank's thread. Enqueued work runs in order.
class Device {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Device() = default;

  // Zeroed memory, aligned to 64 bytes, valid until the device is destroyed; nullptr if bytes is 0.
  // Adds to `*count`. Errors: kDevice.
  virtual Result<std::byte*> Allocate(int64_t bytes, int64_t* count) = 0;
  // Copy between host memory and the device's, done when the call returns. Packed values stay
  // packed.
  virtual Result<void> Write(const std::byte* host, std::byte* to, int64_t bytes) = 0;
  virtual Result<void> Read(const std::byte* from, std::byte* host, int64_t bytes) = 0;
  // Enqueues a copy within the device's memory.
  virtual Result<void> Copy(const std::byte* from, std::byte* to, int64_t bytes) = 0;
  // Enqueues zeroing.
  virtual Result<void> Clear(std::byte* at, int64_t bytes) = 0;

  // Decides how the values of a graph are laid out in memory. May extend lifetimes in `plan` so
  // that operands stay available; changes that would need more memory than planned are not made.
  // fused: groups of nodes to be run as one where there are kernels for it.
  virtual std::unique_ptr<DeviceGraph> Arrange(const Graph& graph,
                                               std::span<const FusedNodes> fused,
                                               const OpTable& ops,
                                               BufferPlan& plan,
                                               RankBuffers& buffers) = 0;

  // Records the time at which everything enqueued so far is done, as mark `number`.
  virtual Result<void> Mark(size_t number) = 0;
  // The times of marks 0 to the highest one, by the host's clock; waits for them.
  virtual Result<std::span<const Clock::time_point>> Marks() = 0;
};

}  // namespace metadist
