// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metair/ir/element_type.h"
#include "metair/ir/result.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// What one rank of a group can do with the others. Every call is collective: all ranks of the group
// make the same calls in the same order, each from its own thread (or process).
//
// Errors: kDevice when a rank is late beyond the group's timeout, has failed, or called Abort. Once
// one call failed, all later calls of all ranks fail: nothing hangs.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The group of the ranks that give the same colour, ordered by (key, rank). It fails with its
  // parent.
  virtual Result<std::unique_ptr<Communicator>> Split(int color, int key) = 0;
  virtual Result<void> Barrier() = 0;

  // out[i] = op over ranks of in[i], in rank order; f16 and bf16 accumulate in f32. The result has
  // the same bits on every rank. in and out must not overlap.
  virtual Result<void> AllReduce(
      const void* in, void* out, int64_t count, ElementType type, ReduceOp op) = 0;
  // in: size() x count elements; out: the reduced `count` of this rank.
  virtual Result<void> ReduceScatter(
      const void* in, void* out, int64_t count, ElementType type, ReduceOp op) = 0;
  // out: size() blocks of `bytes`, block r from rank r.
  virtual Result<void> AllGather(const void* in, void* out, int64_t bytes) = 0;
  // in: size() blocks of `bytes`, block r for rank r; out: block r from rank r.
  virtual Result<void> AllToAll(const void* in, void* out, int64_t bytes) = 0;
  // `bytes` of rank `root` to all; data is in and out.
  virtual Result<void> Broadcast(void* data, int64_t bytes, int root) = 0;
  // Sends to rank `to` and receives from rank `from`; a rank of -1 leaves that half out. All ranks
  // of the group call it, and the pairs match.
  virtual Result<void> SendRecv(
      const void* send, int64_t send_bytes, int to, void* receive, int64_t bytes, int from) = 0;

  // Groups in one address space: publishes a pointer and returns those of all ranks, by rank. What
  // was written before the call may be read through them after it. The span holds until this
  // rank's next but one Exchange. Errors also kInternal where memory is not shared.
  virtual Result<std::span<void* const>> Exchange(void* mine) = 0;

  // Lets every waiting and every later call of every rank fail with `reason`. Any thread may call
  // it. Returns whether nobody had given a reason before.
  virtual bool Abort(const Error& reason) = 0;
};

}  // namespace metadist
