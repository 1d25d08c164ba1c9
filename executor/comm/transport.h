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

// One array of a collective step, as one rank has it.
struct TransferPart {
  const std::vector<Transfer>* transfers = nullptr;  // by rank of the transport; must outlive it
  std::byte* source = nullptr;  // what this rank holds before the step; nullptr: nothing
  std::byte* target = nullptr;  // and after it
};

// How one rank reaches the others of its group. A program's collectives, and the measurements that
// price them, run through Prepare alone. Every call is collective: all ranks of the group make the
// same calls in the same order, each from its own thread or process.
//
// Errors: kDevice when a rank is late beyond the group's timeout, has failed, or called Abort. Once
// one call failed, all later calls of all ranks fail: nothing hangs.
class Transport {
 public:
  // A prepared step. Every rank of its transfers' group calls it; it allocates nothing.
  using Step = std::function<Result<void>()>;

  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The group of the ranks that give the same color, ordered by (key, rank). It fails with its
  // parent.
  virtual Result<std::unique_ptr<Transport>> Split(int color, int key) = 0;
  // What any rank wrote before it is visible after it to all that share memory.
  virtual Result<void> Barrier() = 0;

  // A step on one or several arrays that are moved as one. All parts have the same groups. The step
  // must not outlive the transport.
  virtual Result<Step> Prepare(std::vector<TransferPart> parts) = 0;

  // The number that rank 0 gives, on every rank. It is a barrier, too.
  virtual Result<int64_t> Decide(int64_t mine) = 0;
  // The numbers of all ranks, by rank, on every rank. It is a barrier, too.
  virtual Result<std::vector<double>> Collect(double mine) = 0;

  // Lets every waiting and every later call of every rank fail with `reason`. Any thread may call
  // it. Returns whether nobody had given a reason before.
  virtual bool Abort(const Error& reason) = 0;
};

}  // namespace metadist
