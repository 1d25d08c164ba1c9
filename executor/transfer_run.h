// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "executor/comm/communicator.h"
#include "executor/transfer.h"

namespace metadist {

// The groups in which one rank meets others for its transfers, each made once.
class TransferGroups {
 public:
  // The group of a transfer; nullptr for a local one. Collective: all ranks of `world`, which must
  // outlive the groups, ask for the transfers of the same steps in the same order.
  Result<Communicator*> For(const Transfer& transfer, Communicator& world);

 private:
  std::vector<std::pair<std::vector<int64_t>, std::unique_ptr<Communicator>>> groups_;
};

// A transfer with the source and the destination of every rank.
struct TransferPart {
  const Transfer* transfer = nullptr;
  std::vector<void*> sources;
  std::vector<void*> targets;
};

// Does one rank's part of a step, or of several that are done as one, and meets the others where
// needed. Allocates nothing. group: of all the transfers.
Result<void> RunTransfers(std::span<const TransferPart> parts, int64_t rank, Communicator* group);

// The same of all ranks of a mesh, one after the other, in the phases that meetings separate.
void RunTransfersInTurn(const std::vector<Transfer>& transfers,
                        std::span<void* const> sources,
                        std::span<void* const> targets);

}  // namespace metadist
