// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "executor/comm/transfer.h"
#include "metair/ir/result.h"

namespace metadist {

// One array of a collective step on one rank.
struct TransferPart {
  const std::vector<Transfer>* transfers = nullptr;  // by rank of the transport; must outlive it
  std::byte* source = nullptr;  // what this rank holds before the step; nullptr: nothing
  std::byte* target = nullptr;  // what it holds after the step
};

// How one rank communicates with the others of its group. A program's collectives, and the
// measurements that price them, all run through Prepare. Every call is collective: all ranks of the
// group make the same calls in the same order, each from its own thread or process.
//
// Errors: kDevice if a rank exceeds the group's timeout, has failed, or called Abort. After one
// call has failed, all later calls of all ranks fail: nothing hangs.
class Transport {
 public:
  // A prepared step. Every rank of its transfers' group must call it; it allocates nothing.
  using Step = std::function<Result<void>()>;

  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The group of the ranks that pass the same color, ordered by (key, rank). It fails when its
  // parent fails.
  virtual Result<std::unique_ptr<Transport>> Split(int color, int key) = 0;
  // Writes of any rank before it are visible after it to all ranks that share memory.
  virtual Result<void> Barrier() = 0;

  // A step on one or several arrays that are moved together. All parts have the same groups. The
  // step must not outlive the transport.
  virtual Result<Step> Prepare(std::vector<TransferPart> parts) = 0;

  // Returns rank 0's number on every rank. Also a barrier.
  virtual Result<int64_t> Decide(int64_t mine) = 0;
  // Returns the numbers of all ranks, by rank, on every rank. Also a barrier.
  virtual Result<std::vector<double>> Collect(double mine) = 0;

  // Makes all waiting and later calls of all ranks fail with `reason`. Any thread may call it.
  // Returns whether this is the first reason.
  virtual bool Abort(const Error& reason) = 0;
};

}  // namespace metadist
