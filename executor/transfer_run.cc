// SPDX-License-Identifier: Apache-2.0
#include "executor/transfer_run.h"

#include <algorithm>

namespace metadist {

Result<Communicator*> TransferGroups::For(const Transfer& transfer, Communicator& world) {
  if (transfer.local()) return nullptr;
  const std::vector<int64_t>& ranks = transfer.group;
  const auto found = std::find_if(
      groups_.begin(), groups_.end(), [&](const auto& group) { return group.first == ranks; });
  if (found != groups_.end()) return found->second.get();
  auto part = TRY(world.Split(static_cast<int>(ranks[0]), world.rank()));
  groups_.emplace_back(ranks, std::move(part));
  return groups_.back().second.get();
}

Result<void> RunTransfers(std::span<const TransferPart> parts, int64_t rank, Communicator* group) {
  if (group != nullptr) TRY(group->Barrier());
  bool slices = false;
  for (const TransferPart& part : parts) {
    void* const to = part.targets[static_cast<size_t>(rank)];
    slices |= part.transfer->slices;
    if (part.transfer->slices)
      ReduceOwnSlice(*part.transfer, rank, part.sources, to);
    else
      RunPulls(*part.transfer, part.sources, to);
  }
  if (group == nullptr) return {};
  if (slices) {
    TRY(group->Barrier());
    for (const TransferPart& part : parts)
      if (part.transfer->slices) GatherSlices(*part.transfer, rank, part.targets);
  }
  return group->Barrier();
}

void RunTransfersInTurn(const std::vector<Transfer>& transfers,
                        std::span<void* const> sources,
                        std::span<void* const> targets) {
  for (size_t rank = 0; rank < transfers.size(); ++rank) {
    if (transfers[rank].slices)
      ReduceOwnSlice(transfers[rank], static_cast<int64_t>(rank), sources, targets[rank]);
    else
      RunPulls(transfers[rank], sources, targets[rank]);
  }
  for (size_t rank = 0; rank < transfers.size(); ++rank)
    if (transfers[rank].slices) GatherSlices(transfers[rank], static_cast<int64_t>(rank), targets);
}

}  // namespace metadist
